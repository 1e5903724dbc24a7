package pipeline

import (
	"strings"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/provider"
)

// windowDefault is the context window of a model that is not known.
const windowDefault = 128_000

// windows are the context windows of models whose name begins so, in tokens, as
// their vendors state them. The longest beginning counts.
var windows = map[string]int{
	"gpt-5": 400_000, "gpt-5-chat": 128_000, "gpt-4.1": 1_047_576, "gpt-4o": 128_000, "gpt-4-turbo": 128_000,
	"gpt-4": 8_192, "gpt-3.5-turbo": 16_385, "gpt-oss": 131_072, "chatgpt-4o": 128_000,
	"o1": 200_000, "o1-mini": 128_000, "o1-preview": 128_000, "o3": 200_000, "o4-mini": 200_000,
	"claude": 200_000, "claude-2.0": 100_000, "claude-instant": 100_000,
	"gemini": 1_048_576, "gemini-1.5-pro": 2_097_152,
	"deepseek": 128_000, "grok-3": 131_072, "grok-4": 256_000, "kimi-k2": 131_072, "glm-4.5": 131_072,
	"llama-3.1": 131_072, "llama-3.2": 131_072, "llama-3.3": 131_072, "llama3.1": 131_072, "llama3.2": 131_072, "llama3.3": 131_072,
	"llama-3": 8_192, "llama3": 8_192, "mistral-large": 128_000, "qwen3-coder": 262_144, "qwen3": 32_768, "qwen2.5": 32_768,
}

// ContextTokens returns how many tokens the model of that name takes, 128,000
// if it is not known. What stands before a slash, a vendor's or a gateway's
// name, is ignored. A server may allow less: Compaction.ContextTokens says so.
func ContextTokens(model string) int {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	window, longest := windowDefault, 0
	for begin, n := range windows {
		if len(begin) > longest && strings.HasPrefix(name, begin) {
			window, longest = n, len(begin)
		}
	}
	return window
}

// EstimateTokens returns about how many tokens req costs a model, by its bytes.
// A session corrects it by what the model reports: see Session.Usage.
func EstimateTokens(req provider.Request) int { return actors.EstimateTokens(req) }
