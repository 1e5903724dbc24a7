package bench

// definitions say what the numbers of a report mean.
func definitions() []string {
	return []string{
		"first (TTFT): from when a question was due until its first text that is not empty.",
		"itl: between one piece of text and the next; the first is not in it. tpot: (end − first) / (n − 1) of an answer of n tokens.",
		"added: from when the server made a token's frame until the reader had it. inside: from when this process had read it from its socket.",
		"asked late, server late: from when a question or token was due until it was sent. Questions and tokens keep a schedule of moments, whatever happened to those before.",
		"omission: which part of all waiting, counted from when it was due, lay before the sending; measuring from the sending would hide it.",
		"cpu: user and system time of this process, without the server's. server cpu: that of the simulated server, which is its own floor: no reader is faster. heap: live after a collection. Percentiles are of all rounds together; one that fewer than ten samples lie beyond is withheld.",
		"server felt it: from when a frozen reader stopped until the server's socket took its last byte; with a slow or flapping one from its question until a write of the server first waited for 5 ms. server held: which part of the time its writes waited so long. heap: the most that was live when it was looked at; peak: of all of heap and stacks, garbage included. server ahead: tokens it had written then, or at the most, that the reader had not taken; about 15,000 fit into the kernel's buffers.",
		"leave: from when a reader left in the middle until nothing of its answer ran any more.",
		"fairness: Jain's index of the rates of streams that begin together; 1 where all get the same. idle, streaming: heap and stacks by session; stacks: of these; rss: by session. open, close: by session, until it is there and until nothing of it is left.",
		"failed: answers of an endpoint that did not come; their times are in no other number. weir and openai-go ask again before they give up, and that wait is in their times.",
		"kept: which share of the answers left a connection that the next question used.",
		"told after: from when the last call of a turn ended until its result was told. growth: the processor time of the last tenth of the turns by that of the first.",
		"noise: which share of all processor time programs had that are neither this one nor its server.",
		"Server and readers count on the machine's one monotonic clock. The server is a process of its own unless --here says otherwise.",
	}
}
