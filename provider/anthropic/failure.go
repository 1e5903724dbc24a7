package anthropic

import (
	"github.com/weir-agents/weir/provider"
)

func badJSON(data []byte) error {
	return &provider.Error{Kind: provider.BadJSON, Message: "bad", Retryable: true}
}

func providerError(data []byte) error {
	return &provider.Error{Kind: provider.ProviderError, Message: string(data), Retryable: true}
}
