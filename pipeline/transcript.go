package pipeline

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
)

const (
	// entryBytes is how much of one message a summary is made from.
	entryBytes = 8 << 10

	summaryHead = "Summary of the conversation so far. It stands in the place of the older messages, which are gone:\n\n"
	quoteHead   = "\n\nThe request that is being worked on, word for word:\n\n"
)

// summaryMessage is the message that stands in the place of the older ones.
func summaryMessage(summary, quote string) provider.Message {
	text := summaryHead + strings.TrimSpace(summary)
	if quote != "" {
		text += quoteHead + quote
	}
	return provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: text}}}
}

func isSummary(m provider.Message) bool {
	return m.Role == provider.User && strings.HasPrefix(m.Text(), summaryHead)
}

// pending returns the words of the last request in a conversation, also when a
// compaction before has made them part of a summary.
func pending(messages []provider.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role != provider.User {
			continue
		}
		if !isSummary(m) {
			return strings.TrimSpace(m.Text())
		}
		_, quote, _ := strings.Cut(m.Text(), quoteHead)
		return quote
	}
	return ""
}

// question asks for the summary of one part.
func question(before, part string) provider.Message {
	var b strings.Builder
	if before != "" {
		fmt.Fprintf(&b, "The summary of what came before:\n\n%s\n\nThe conversation from there on:\n\n", before)
	} else {
		b.WriteString("The conversation:\n\n")
	}
	b.WriteString(part)
	b.WriteString("\n\nThe conversation ends here. Write the summary of all of it now.")
	return provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: b.String()}}}
}

// transcript writes messages out as text, which any model takes without tools;
// of each at most as many bytes as given, and never more than entryBytes.
func transcript(messages []provider.Message, bytes int) string {
	var all, one strings.Builder
	for _, m := range messages {
		one.Reset()
		for _, b := range m.Blocks {
			entry(&one, b)
		}
		fmt.Fprintf(&all, "## %s\n\n%s\n\n", m.Role, cutMiddle(strings.TrimSpace(one.String()), min(bytes, entryBytes)))
	}
	return all.String()
}

// entry writes one block. What only a vendor can read, and thinking, is left out.
func entry(w *strings.Builder, b provider.Block) {
	switch b := b.(type) {
	case provider.Text:
		fmt.Fprintf(w, "%s\n", b.Text)
	case provider.ToolCall:
		fmt.Fprintf(w, "[calls %s %s]\n", b.Name, b.Raw)
	case provider.ToolResult:
		said := "answered"
		if b.IsError {
			said = "failed"
		}
		fmt.Fprintf(w, "[%s %s]\n%s\n", b.Name, said, cutMiddle(b.Text, entryBytes/2))
	case provider.Image:
		fmt.Fprintf(w, "[a picture, %s]\n", b.MediaType)
	case provider.File:
		fmt.Fprintf(w, "[the file %s, %s, %d bytes]\n", b.Name, b.MediaType, len(b.Data))
	case provider.Thinking, provider.Opaque:
	}
}

// cutMiddle returns at most n bytes of text: if it is longer its beginning and
// its end with a note between. It never splits a character.
func cutMiddle(text string, n int) string {
	if len(text) <= n {
		return text
	}
	note := fmt.Sprintf("\n[… %d bytes left out …]\n", len(text)-n)
	if n <= 2*len(note) {
		return text[:boundary(text, max(n, 0))]
	}
	n -= len(note)
	head := boundary(text, n*2/3)
	tail := len(text) - (n - n*2/3)
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + note + text[tail:]
}

// cutPart cuts the first n bytes off text, at the end of a line if one is near.
func cutPart(text string, n int) (part, rest string) {
	if len(text) <= n {
		return text, ""
	}
	at := strings.LastIndexByte(text[:n], '\n') + 1
	if at < n/2 {
		at = boundary(text, n)
	}
	if at == 0 { // not even one character fits: go on anyway
		at = n
	}
	return text[:at], text[at:]
}

// boundary returns the last start of a character at or before n.
func boundary(text string, n int) int {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
