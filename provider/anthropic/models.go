package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/weir-agents/weir/provider/internal/wire"
)

const (
	// modelsPage is how many models one request asks for, modelsPages how many
	// requests are made.
	modelsPage  = 1000
	modelsPages = 20
)

// Models asks the server for the names it serves, in its order.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	names := []string{}
	after := ""
	for range modelsPages {
		page, err := c.models(ctx, after)
		if err != nil {
			return nil, fmt.Errorf("list models: %w", err)
		}
		for _, m := range page.Data {
			if m.ID != "" {
				names = append(names, m.ID)
			}
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			break
		}
		after = page.LastID
	}
	return names, nil
}

// modelPage is one page of the list; servers without pages leave out the rest.
type modelPage struct {
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`
}

func (c *Client) models(ctx context.Context, after string) (page modelPage, err error) {
	opts := []option.RequestOption{option.WithQuery("limit", strconv.Itoa(modelsPage))}
	if after != "" {
		opts = append(opts, option.WithQuery("after_id", after))
	}
	err = c.wire.Fetch(ctx, func(ctx context.Context) error {
		var res *http.Response
		return c.sdk.Get(ctx, c.base.Path("models"), nil, &res, c.headers(opts...)...)
	}, func(body []byte) error {
		if json.Unmarshal(body, &page) != nil || page.Data == nil {
			return wire.NoModels(body)
		}
		return nil
	})
	return page, err
}
