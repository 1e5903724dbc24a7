// Package streamtest is the conformance kit for readers of model streams: it
// plays the recorded responses of a corpus over a real loopback socket, byte
// for byte, with their pauses and their ways to end, and compares what the
// reader made of them. Authors of other providers can use it too:
//
//	for _, c := range streamtest.Cases(t, "testdata/streams", "openai") {
//		t.Run(c.Name, func(t *testing.T) {
//			t.Parallel()
//			p := myProvider(c.Serve(t).URL, c.Idle())
//			c.Check(t, streamtest.Collect(t, p.Stream(t.Context(), streamtest.Request())))
//		})
//	}
//
// The corpus and its rules are described in provider/testdata/streams/README.md.
package streamtest
