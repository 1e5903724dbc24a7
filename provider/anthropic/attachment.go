package anthropic

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/weir-agents/weir/provider"
)

func image(i provider.Image) sdk.ContentBlockParamUnion {
	return sdk.NewImageBlockBase64(i.MediaType, base64.StdEncoding.EncodeToString(i.Data))
}

// document turns f into what the vendor reads: a PDF, a picture, or plain
// text, which every other file that is UTF-8 counts as.
func document(f provider.File) (sdk.ContentBlockParamUnion, error) {
	media, _, _ := strings.Cut(f.MediaType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	block := &sdk.DocumentBlockParam{}
	switch {
	case media == "application/pdf":
		block.Source.OfBase64 = &sdk.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(f.Data)}
	case strings.HasPrefix(media, "image/"):
		return image(provider.Image{MediaType: media, Data: f.Data}), nil
	case utf8.Valid(f.Data):
		block.Source.OfText = &sdk.PlainTextSourceParam{Data: string(f.Data)}
	default:
		return sdk.ContentBlockParamUnion{}, fmt.Errorf(
			"file %q is %s, and the Messages API reads only PDF, pictures and UTF-8 text: convert it or leave it out",
			f.Name, f.MediaType)
	}
	if f.Name != "" {
		block.Title = param.NewOpt(f.Name)
	}
	return sdk.ContentBlockParamUnion{OfDocument: block}, nil
}
