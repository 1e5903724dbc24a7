package actors

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/weir-agents/weir/provider"
)

// says is a model that says deltas and nothing else.
func says(all ...provider.Delta) model {
	return func(_ context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		for _, d := range all {
			if !say(d) {
				return nil
			}
		}
		return nil
	}
}

const noObject = "are no JSON object; where the model sent none they are nil"

func wholeCall(c provider.ToolCall) provider.Delta {
	return provider.Delta{Kind: provider.BlockDelta, Block: 1, Done: c}
}

// A provider of someone else may yield anything. What breaks the rules of a
// stream fails the try and says why; what came before has been passed on.
func TestADeltaThatBreaksTheRulesFailsTheTry(t *testing.T) {
	for why, d := range map[string]provider.Delta{
		"a delta of the unknown kind 0":                                     {},
		"a delta of the unknown kind 99":                                    {Kind: 99},
		"block -1 comes after 1 blocks":                                     text(-1, "x"),
		"block 1000 comes after 1 blocks":                                   {Kind: provider.ToolCallDelta, Block: 1000},
		"block 1 is a <nil>":                                                {Kind: provider.BlockDelta, Block: 1},
		"block 1 is a provider.Image":                                       {Kind: provider.BlockDelta, Block: 1, Done: provider.Image{}},
		"the opaque block 1 is no JSON":                                     {Kind: provider.BlockDelta, Block: 1, Done: provider.Opaque{Raw: []byte("{x")}},
		"the member x of block 1 is no JSON":                                wholeCall(provider.ToolCall{Extra: map[string]json.RawMessage{"x": []byte("{x")}}),
		"the arguments of block 1 " + noObject:                              wholeCall(provider.ToolCall{Arguments: []byte("{x")}),
		"the arguments of block 0 " + noObject:                              {Kind: provider.BlockDelta, Done: provider.ToolCall{Arguments: []byte(" [1]")}},
		`the unknown stop reason "weird"`:                                   finish("weird"),
		`the unknown stop reason ""`:                                        finish(""),
		"the text of block 0 is not UTF-8, or was split inside a character": text(0, "\xe6\xbc"),
	} {
		inStreamer(t, says(text(0, "hi"), d, finish(provider.StopEnd)), Limits{}, func(k *streamerTest) {
			k.send(open1())
			k.want("|hi", "t1.1.1 ended provider_error: the provider broke the rules of a stream: "+why+
				"; this is a fault of its program, see provider.Delta")
		})
	}
}

// An empty text is dropped and is no first token; but it still says whether
// another delta comes at once.
func TestAnEmptyTextIsDropped(t *testing.T) {
	thinks := provider.Delta{Kind: provider.ThinkingDelta}
	inStreamer(t, says(text(0, ""), thinks), Limits{}, func(k *streamerTest) {
		k.send(open1())
		k.want("t1.1.1 ended truncated_stream: the stream ended without a finish")
		if at := k.host.meter.first[markDelta].Load(); at != 0 {
			t.Error("it counts as the first token")
		}
	})
	more := text(0, "a")
	more.More = true
	waits := func(ctx context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		say(more)
		say(text(0, ""))
		<-ctx.Done()
		return ctx.Err()
	}
	inStreamer(t, waits, Limits{}, func(k *streamerTest) {
		k.send(open1())
		k.want("|a")
	})
}
