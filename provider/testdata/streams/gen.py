#!/usr/bin/env python3
"""Writes the stream cases beside it. See README.md. All content is invented."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from streamlib import *  # noqa: E402,F403

C = Corpus(os.path.dirname(os.path.abspath(__file__)))
add = C.add

# ===================== Chat Completions: plain ===============================
m = OAI("chatcmpl-b1", "harbor-1")
add("oai-baseline-text", "What a well-behaved server sends: a role-only chunk, text, a finish chunk with an empty delta, "
    "usage in a last chunk with empty choices, [DONE].", "spec",
    [m.role(), m.text("The lamp ", "turns every ", "ten seconds."), m({}, "stop"),
     data(m.obj(choices=[], usage=usage(31, 9))), DONE],
    ok("The lamp turns every ten seconds.", usage=(31, 9)))

m = OAI("chatcmpl-b2", "harbor-1")
add("oai-baseline-parallel-interleaved", "Two calls by index whose argument fragments interleave, both in one chunk too. "
    "Keying on the last seen call, or on the place in the array, mixes them.", "QwenLM/Qwen-Agent#943",
    [m({"role": "assistant", "content": None}),
     m.tc(entry(0, "call_a1", "read_file", "")), m.tc(entry(1, "call_b2", "grep_text", "")),
     m.tc(entry(0, args='{"path":')), m.tc(entry(1, args='{"pattern":"keel"')),
     m.tc(entry(1, args=',"limit":3}'), entry(0, args='"logs/tide.txt"}')),
     m({}, "tool_calls", usage=usage(120, 40)), DONE],
    ok(calls=[call("call_a1", "read_file", {"path": "logs/tide.txt"}, '{"path":"logs/tide.txt"}'),
              call("call_b2", "grep_text", {"pattern": "keel", "limit": 3}, '{"pattern":"keel","limit":3}')],
       finish="tool_calls", usage=(120, 40)))

# ===================== index ==================================================
m = OAI("gem-1", "lantern-flash")
add("oai-index-absent-whole-calls", "No index on any entry: two whole calls in one delta and a third in the next, finish "
    "stop. Reading an absent index as 0 glues three argument texts into one.", "router-for-me/CLIProxyAPI#5058, ollama/ollama#7881",
    [m({"role": "assistant", "tool_calls": [
        entry(id="fc-1", name="list_dir", args='{"path":"docks"}'),
        entry(id="fc-2", name="list_dir", args='{"path":"cranes"}')]}),
     m.tc(entry(id="fc-3", name="read_file", args='{"path":"docks/plan.md"}')),
     m({}, "stop", usage=usage(77, 33)), DONE],
    ok(calls=[call("fc-1", "list_dir", {"path": "docks"}, '{"path":"docks"}'),
              call("fc-2", "list_dir", {"path": "cranes"}, '{"path":"cranes"}'),
              call("fc-3", "read_file", {"path": "docks/plan.md"}, '{"path":"docks/plan.md"}')],
       finish="tool_calls", usage=(77, 33)))

m = OAI("frag-1", "pilot-4")
add("oai-index-absent-fragments", "No index; id and name come on the start of each call, the fragments have neither. They "
    "belong to the call started last.", "oracle/langchain-oracle#253",
    [m.role(),
     m.tc(entry(id="c-one", name="grep_text", args="")), m.tc(entry(type="absent", args='{"patt')),
     m.tc(entry(type="absent", args='ern":"buoy"}')),
     m.tc(entry(id="c-two", name="read_file", args="")), m.tc(entry(type="absent", args='{"path":')),
     m.tc(entry(type="absent", args='"charts.txt"}')),
     m({}, "tool_calls"), DONE],
    ok(calls=[call("c-one", "grep_text", {"pattern": "buoy"}, '{"pattern":"buoy"}'),
              call("c-two", "read_file", {"path": "charts.txt"}, '{"path":"charts.txt"}')], finish="tool_calls"))

m = OAI("chatcmpl-318", "ropewalk:30b")
add("oai-index-zero-for-all", "Parallel calls, each whole in its chunk, all with index 0 and different ids: three calls, "
    "not one. The second has no arguments at all.", "ollama/ollama#15457, vercel/ai#14277",
    [m({"role": "assistant", "content": "", "tool_calls": [entry(0, "call_k1", "write_file", '{"path":"a.txt","text":"one"}')]}),
     m({"role": "assistant", "content": "", "tool_calls": [entry(0, "call_k2", "now", "")]}),
     m({"role": "assistant", "content": "", "tool_calls": [entry(0, "call_k3", "write_file", '{"path":"b.txt","text":"two"}')]}),
     m({"role": "assistant", "content": ""}, "tool_calls"), DONE],
    ok(calls=[call("call_k1", "write_file", {"path": "a.txt", "text": "one"}, '{"path":"a.txt","text":"one"}'),
              call("call_k2", "now", {}, ""),
              call("call_k3", "write_file", {"path": "b.txt", "text": "two"}, '{"path":"b.txt","text":"two"}')],
       finish="tool_calls"))

m = OAI("gen-71", "venetian-5")
add("oai-index-from-one", "A gateway uses the content block's place as the call's index: after some text the first call has "
    "index 1. There is no call 0; a placeholder without id and name poisons the history.", "fabro-sh/fabro#816, coder/aibridge#147",
    [m.role(), m.text("Checking the ", "mooring list."),
     m.tc(entry(1, "tooluse_9", "read_file", "")), m.tc(entry(1, args='{"path":"moor')), m.tc(entry(1, args='ings.csv"}')),
     m({}, "tool_calls"), DONE],
    ok("Checking the mooring list.", calls=[call("tooluse_9", "read_file", {"path": "moorings.csv"}, '{"path":"moorings.csv"}')],
       finish="tool_calls"))

# ===================== id and name ===========================================
m = OAI("fw-1", "accounts/anchor/models/a5")
add("oai-id-name-on-every-chunk", "id, type and the whole name come again with every fragment. Appending makes "
    "\"run_commandrun_command…\" and an id of several ids; starting a call at each id makes five.",
    "NousResearch/hermes-agent#12230, SillyTavern/SillyTavern#5948",
    [m.role()] + [m.tc(entry(0, "tool-5c", "run_command", a)) for a in ("", '{"cmd"', ':"ls -', 'la quay"', "}")] +
    [m.tc(entry(0, "tool-5c", "run_command", "")), m({}, "tool_calls", usage=usage(200, 21)), DONE],
    ok(calls=[call("tool-5c", "run_command", {"cmd": "ls -la quay"}, '{"cmd":"ls -la quay"}')],
       finish="tool_calls", usage=(200, 21)))

m = OAI("gl-4", "pool-m")
add("oai-id-changes-per-chunk", "Each chunk of one call carries another id; only the first has the name. It is one call and "
    "keeps the first id.", "0xPlaygrounds/rig#1510, poolsideai/pool#9",
    [m.role(), m.tc(entry(0, "call_0001", "apply_patch", "")), m.tc(entry(0, "call_0002", "", '{"patch":"*** ')),
     m.tc(entry(0, "call_0003", "", "Begin")), m.tc(entry(0, "call_0004", "", '"}')), m({}, "tool_calls"), DONE],
    ok(calls=[call("call_0001", "apply_patch", {"patch": "*** Begin"}, '{"patch":"*** Begin"}')], finish="tool_calls"))

m = OAI("ds-88", "qwharf-max")
add("oai-id-name-emptied-later", "Later fragments carry id \"\" and name \"\", later ones null. Assigning them wipes what came first.",
    "QwenLM/qwen-code#2404, JetBrains/koog#2052",
    [m({"role": "assistant", "content": None}), m.tc(entry(0, "call_7f", "write_file", "")),
     m.tc(entry(0, "", "", '{"path":"x.md",')), m.tc(entry(0, None, None, '"text":"Ahoy"')), m.tc(entry(0, "", None, "}")),
     m({"content": ""}, "tool_calls"), DONE],
    ok(calls=[call("call_7f", "write_file", {"path": "x.md", "text": "Ahoy"}, '{"path":"x.md","text":"Ahoy"}')], finish="tool_calls"))

m = OAI("noid", "local-gguf")
add("oai-id-nowhere", "No id anywhere, two calls by index. Both calls need an id of our own making, or their results cannot "
    "be told apart in the next request.", "langchain-ai/langchainjs#8581",
    [m.role(), m.tc(entry(0, name="list_dir", args='{"path":"."}')), m.tc(entry(1, name="list_dir", args='{"path":".."}')),
     m({}, "tool_calls"), DONE],
    ok(calls=[call("*", "list_dir", {"path": "."}, '{"path":"."}'), call("*", "list_dir", {"path": ".."}, '{"path":".."}')],
       finish="tool_calls"))

m = OAI("nm-1", "switch-b")
add("oai-name-in-pieces", "The name comes in two pieces before any arguments. Disputed: most SDKs assign and would run \"_dir\" "
    "or wait for \"list\". Appending while no arguments have come loses nothing and does not touch repeated names.",
    "NVIDIA-NeMo/Switchyard#785",
    [m.role(), m.tc(entry(0, "call_p", "list", "")), m.tc(entry(0, name="_dir", type="absent")),
     m.tc(entry(0, args='{"path":"sails"}', type="absent")), m({}, "tool_calls"), DONE],
    ok(calls=[call("call_p", "list_dir", {"path": "sails"}, '{"path":"sails"}')], finish="tool_calls"))

# ===================== arguments =============================================
m = OAI("mm-2", "maxim-m2")
add("oai-args-as-object", "arguments is a JSON object instead of a string holding one. A string-typed field reads it as empty "
    "and the tool runs with {}.", "can1357/oh-my-pi#1779",
    [m.role(), m.tc(entry(0, "call_obj", "run_command", {"cmd": "make rope", "timeout": 5})), m({}, "tool_calls"), DONE],
    ok(calls=[call("call_obj", "run_command", {"cmd": "make rope", "timeout": 5}, None)], finish="tool_calls"))

m = OAI("vl-1", "shore-8b")
add("oai-args-null-first", "The first delta has arguments null, text follows. Starting from \"{}\" for null gives \"{}{…\".",
    "ogx-ai/ogx#5462",
    [m({"role": "assistant", "content": ""}), m.tc(entry(0, "cc-tool-1", "grep_text", None)),
     m.tc(entry(0, args='{"pattern"', type="absent")), m.tc(entry(0, args=':"tide|ebb"}', type="absent")),
     m({}, "tool_calls"), DONE],
    ok(calls=[call("cc-tool-1", "grep_text", {"pattern": "tide|ebb"}, '{"pattern":"tide|ebb"}')], finish="tool_calls"))

m = OAI("bd-1", "anth/claret-5")
add("oai-args-empty-for-no-arg-tool", "A tool without parameters: one delta with arguments \"\" and nothing more. That is {}, "
    "not an error. In the history it goes back as \"{}\".", "Kilo-Org/cloud#4753, openai/openai-agents-js#664",
    [m.role(), m.tc(entry(0, "toolu_na", "now", "")), m({}, "tool_calls"), DONE],
    ok(calls=[call("toolu_na", "now", {}, "")], finish="tool_calls"))

m = OAI("xl-1", "cutter-xl")
whole = '{"city":"Port Ellen","unit":"knots"}'
add("oai-args-repeated-whole-at-end", "Fragments, then the whole argument text once more in the last chunk. The text so far "
    "already is a complete object and the chunk is equal to it: a repeat.", "vllm-project/vllm#51697",
    [m.role(), m.tc(entry(0, "call_w", "wind_at", "")), m.tc(entry(0, args=whole[:14])), m.tc(entry(0, args=whole[14:])),
     m.tc(entry(0, args=whole)), m({}, "tool_calls"), DONE],
    ok(calls=[call("call_w", "wind_at", {"city": "Port Ellen", "unit": "knots"}, whole)], finish="tool_calls"))

m = OAI("ln-1", "harbor-1")
add("oai-args-cut-by-length", "The output limit hits within the arguments. The turn is complete as a turn (finish length), the "
    "call is not: it must not run, and its text must not be repaired. Disputed: to drop it, or hand it out unusable; kept, "
    "so that the agent can tell the model what was cut.", "vllm-project/vllm#46303",
    [m.role(), m.text("Writing it now."), m.tc(entry(0, "call_cut", "write_file", "")),
     m.tc(entry(0, args='{"path":"deck.md","text":"First, the')), m({}, "length", usage=usage(50, 16)), DONE],
    ok("Writing it now.", calls=[call("call_cut", "write_file", None, '{"path":"deck.md","text":"First, the')],
       finish="length", usage=(50, 16)))

m = OAI("bj-1", "shore-8b")
add("oai-args-not-json", "The model writes arguments that are not JSON and the server says tool_calls. Disputed: repair, fail "
    "the turn, or hand it to the model as a tool error. The last keeps the session going and never runs a guess.",
    "zai-org/GLM-5#66, open-webui/computer#252",
    [m.role(), m.tc(entry(0, "call_bad", "run_command", "{cmd: 'make")), m.tc(entry(0, args=" sails'}")),
     m({}, "tool_calls"), DONE],
    ok(calls=[call("call_bad", "run_command", None, "{cmd: 'make sails'}")], finish="tool_calls"))

# ===================== finish ================================================
m = OAI("st-1", "lantern-pro")
add("oai-finish-stop-with-calls", "Finish stop although a call came. An agent that goes by the reason alone drops the call and "
    "ends the turn in silence.", "iOfficeAI/aionrs#93, ollama/ollama#7963",
    [m.role(), m.text("One moment."), m.tc(entry(0, "call_s", "read_file", '{"path":"keel.go"}')), m({}, "stop"), DONE],
    ok("One moment.", calls=[call("call_s", "read_file", {"path": "keel.go"}, '{"path":"keel.go"}')], finish="tool_calls"))

m = OAI("es-1", "bollard")
add("oai-finish-empty-strings", "finish_reason is \"\" in every chunk but the last, and each chunk has an empty legacy "
    "function_call. Neither means anything.", "ollama/ollama#4357, CangShui/workbuddy-gateway#3",
    [m({"role": "assistant", "content": "", "function_call": {"name": "", "arguments": ""}}, ""),
     m({"content": "Two ", "function_call": {"name": "", "arguments": ""}}, ""), m({"content": "ships."}, ""),
     m.tc(entry(0, "call_e", "now", "{}"), finish=""), m({"content": "", "function_call": {"name": "", "arguments": ""}}, "tool_calls"), DONE],
    ok("Two ships.", calls=[call("call_e", "now", {}, "{}")], finish="tool_calls"))

m = OAI("fd-1", "skiff")
add("oai-finish-absent-done-present", "No finish reason at all, but [DONE]. The server says that it is through; the call's "
    "arguments parse.", "router-for-me/CLIProxyAPI#1310",
    [m.role(), m.text("Looking."), m.tc(entry(0, "call_fd", "grep_text", '{"pattern":"oar"}')), DONE],
    ok("Looking.", calls=[call("call_fd", "grep_text", {"pattern": "oar"}, '{"pattern":"oar"}')], finish="tool_calls"))

m = OAI("tr-1", "skiff")
add("oai-eof-before-finish", "The body ends in order (the last HTTP chunk is there) but no finish reason and no [DONE] came. The "
    "arguments happen to parse: a shell command cut at a lucky place. Disputed (some take the text as done); a call without "
    "terminal evidence must not run.", "NousResearch/hermes-agent#100160, agentic-os-org/ANOLISA#2209",
    [m.role(), m.text("Cleaning up the"), m.tc(entry(0, "call_tr", "run_command", "")),
     m.tc(entry(0, args='{"cmd":"rm -r build"}'))],
    err("truncated_stream", True, "Cleaning up the"))

# ===================== choices, usage ========================================
m = OAI("az-1", "azimuth-4")
filt = {"hate": {"filtered": False, "severity": "safe"}}
add("oai-azure-prelude-and-annotation", "A first chunk with empty choices, id and model and only filter results; a late chunk "
    "whose choice has no delta at all.", "AbanteAI/archive-old-cli-mentat#429, microsoft/autogen#6465",
    [data({"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": [
        {"prompt_index": 0, "content_filter_results": filt}]}),
     m.role(), m.text("High water ", "at six."), m({}, "stop"),
     data({"id": "", "object": "", "created": 0, "model": "", "choices": [{"index": 0, "finish_reason": None,
          "content_filter_offsets": {"check_offset": 18, "start_offset": 18, "end_offset": 36}, "content_filter_results": filt}]}),
     data(m.obj(choices=[], usage=usage(14, 6))), DONE],
    ok("High water at six.", usage=(14, 6)))

m = OAI("ue-1", "lantern-flash")
add("oai-usage-cumulative-every-chunk", "Usage totals in every chunk, growing; one of zeros; null in the last. Adding them up "
    "multiplies the bill.", "ogx-ai/ogx#5122, open-webui/open-webui#29064",
    [m({"role": "assistant", "content": "Sea"}, usage=usage(40, 1)), m({"content": "gulls"}, usage=usage(40, 3)),
     m({"content": " again."}, usage=usage(40, 5)), m({}, "stop", usage={"prompt_tokens": 0, "completion_tokens": 0}),
     data(m.obj(choices=[], usage=None)), DONE],
    ok("Seagulls again.", usage=(40, 5)))

# ===================== reasoning =============================================
m = OAI("rc-1", "deepdock-r")
add("oai-reasoning-content", "reasoning_content first (content null), then content (reasoning_content null), then a call; the "
    "last text, the call's end and the finish reason share a chunk.", "mlcommons/endpoints#325",
    [m({"role": "assistant", "content": None, "reasoning_content": ""}),
     m({"content": None, "reasoning_content": "The file is "}), m({"content": None, "reasoning_content": "small."}),
     m({"content": "Reading", "reasoning_content": None}),
     m.tc(entry(0, "call_rc", "read_file", '{"path":')),
     m({"content": " it.", "tool_calls": [entry(0, args='"log.txt"}')]}, "tool_calls", usage=usage(60, 30)), DONE],
    ok("Reading it.", "The file is small.", [call("call_rc", "read_file", {"path": "log.txt"}, '{"path":"log.txt"}')],
       "tool_calls", (60, 30)))

m = OAI("th-1", "deepdock-distill")
add("oai-think-tags-split", "No reasoning field: the reasoning stands in the text between think tags, and the tags are split "
    "over chunks. A later tag in the answer is the answer's own text. A lone < must not be held back for ever.",
    "MihaiBuilds/memory-vault#152, LibreChat-AI/agents#40",
    [m.role(), m.text("<th", "ink>\nShort or ", "long? Short.\n</thi", "nk>\n\nUse a ", "bowline, 2 < 3, not <thi", "nk>."),
     m({}, "stop"), DONE],
    ok("Use a bowline, 2 < 3, not <think>.", "Short or long? Short."))

m = OAI("mi-1", "mistral-gale")
add("oai-content-parts", "delta.content is a list of typed parts while the model thinks, then a plain string.",
    "symfony/ai#2422, openclaw/openclaw#68418",
    [m({"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Count the "}]}]}),
     m({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "masts."}]}, {"type": "text", "text": "Three"}]}),
     m({"content": " masts."}), m({"content": ""}, "stop", usage=usage(9, 12)), DONE],
    ok("Three masts.", "Count the masts.", usage=(9, 12)))

# ===================== errors ================================================
m = OAI("er-1", "router/auto")
add("oai-error-object-mid-stream", "Status 200, some text and half a call, then an error object in a data line and [DONE]. A "
    "reader that only looks at choices reports an empty success.", "open-octo/octo-agent#910, diegosouzapw/OmniRoute#8210",
    [m.role(), m.text("I will start by "), m.tc(entry(0, "call_x", "read_file", '{"pa')),
     data({"error": {"message": "Worker queue is full at the upstream host", "code": 502, "type": "provider_unavailable"}}), DONE],
    err("provider_error", True, "I will start by ", contains="Worker queue is full"))

m = OAI("en-1", "bollard")
add("oai-error-null-everywhere", "Every chunk has \"error\": null. That is no error. (openai-go's decoder takes the bare presence "
    "of the member for one.)", "seen nowhere",
    [m({"role": "assistant", "content": ""}, error=None), m({"content": "Calm"}, error=None), m({"content": " sea."}, error=None),
     m({}, "stop", error=None), DONE],
    ok("Calm sea."))

add("oai-json-error-body", "Status 200, application/json, an error object and no event at all. An SSE reader finds no data line "
    "and reports an empty success.", "iOfficeAI/aionrs#237",
    [b'{"error":{"message":"Daily limit of this key is used up","type":"insufficient_quota","code":"insufficient_quota"}}\n'],
    err("provider_error", False, contains="Daily limit of this key"), ctype="application/json", framing="length")

add("oai-html-page", "Status 200 and a web page: a base URL that points at a console, or a gate in between. Disputed whether a "
    "repeat may help; it mostly is a wrong address, so not.", "preloop/preloop#109",
    [b"<!DOCTYPE html>\n<html><head><title>Harbour console</title></head>\n<body><p>data: please sign in</p>\n\n</body></html>\n"],
    err("not_a_stream", False), ctype="text/html; charset=utf-8", framing="length")

# ===================== events ================================================
m = OAI("gen-99", "router/auto")
add("oai-sse-comments", "Comment lines as keep-alives, each with a blank line after it, also within an event and after the "
    "finish.", "openai/openai-go#621, mckinsey/agents-at-scale-ark#2519",
    [b": ROUTER WORKING\n\n", b": ROUTER WORKING\n\n", b":\n\n", m.role(), m.text("Fog "),
     b": ping - 2026-01-05\n\n", b": inside\ndata: " + dumps(m.obj({"content": "horn."})).encode() + b"\n: inside too\n\n",
     m({}, "stop"), b": cost=0.0001\n: tokens=3\n", DONE],
    ok("Fog horn."))

m = OAI("cr-1", "bollard")
add("oai-sse-crlf-no-space", "CRLF line ends, no space after the colon, id, event and retry fields. One CRLF is cut in two by a "
    "write, which must not make two line ends.", "kubernetes-sigs/inference-perf#781, dataelement/Clawith#106",
    [b"retry:3000\r\nid:1\r\nevent:message\r\n" + data(m.obj({"role": "assistant", "content": "Salt "}), nl=b"\r\n", space=False),
     b"id:2\r\ndata:" + dumps(m.obj({"content": "and"})).encode() + b"\r", Pause(30), b"\n\r", Pause(30), b"\n",
     data(m.obj({"content": " tar"}), nl=b"\r\n", space=False), data(m.obj({}, "stop"), nl=b"\r\n", space=False),
     b"data:[DONE]\r\n\r\n"],
    ok("Salt and tar"))

m = OAI("ml-1", "bollard")
pretty = json.dumps(m.obj({"content": "Knots\n"}), indent=1).encode().split(b"\n")
add("oai-sse-multiline-data", "One chunk's JSON is printed over many data lines. They are one event, joined with line feeds.",
    "spec, thesysdev/openui#338",
    [m.role(), b"".join(b"data: " + ln + b"\n" for ln in pretty) + b"\n", m.text("and hitches"), m({}, "stop"), DONE],
    ok("Knots\nand hitches"))

m = OAI("fb-1", "bollard")
add("oai-sse-no-final-blank-line", "The body ends after the finish chunk's line, with neither a blank line nor [DONE]. A browser "
    "would drop that event; here it holds the finish reason and the usage. Disputed; kept, since it parses.",
    "LeenHawk/gproxy#127",
    [m.role(), m.text("Last light."), data(m.obj({}, "stop", usage=usage(8, 2)))[:-2]],
    ok("Last light.", usage=(8, 2)))

m = OAI("bo-1", "bollard")
add("oai-sse-bom", "A byte order mark before the first field. The first event has the first words; a reader that does not drop "
    "the mark loses just these.", "agentic-os-org/ANOLISA#2209",
    [b"\xef\xbb\xbf" + m({"role": "assistant", "content": "Ebb "}), m.text("and flow."), m({}, "stop"), DONE],
    ok("Ebb and flow."))

m = OAI("ka-1", "partner/x4")
add("oai-keepalive-as-data", "Keep-alives sent as data: a comment behind \"data:\", blank data, null, and a chunk with another id "
    "and no content. None is part of the answer and none is an error.", "anomalyco/opencode#50871, mnfst/llm-gateway#2053",
    [b"data: : keepalive\n\n", b"data: : keepalive\n\n", m.role(), b"data:\n\n", m.text("Steady "), b"data: null\n\n",
     data({"id": "chatcmpl-keepalive", "object": "chat.completion.chunk", "created": 0, "model": "", "choices": [
         {"index": 0, "delta": {"content": ""}, "finish_reason": None}]}),
     m.text("as she goes."), m({}, "stop"), DONE],
    ok("Steady as she goes."))

m = OAI("u8-1", "harbor-1")
b = m({"content": "Färöer 港 🚢 ok"})
cuts = [b.index("ä".encode()) + 1, b.index("港".encode()) + 1, b.index("港".encode()) + 2, b.index("🚢".encode()) + 2]
pieces = []
for i, j in zip([0] + cuts, cuts + [len(b)]):
    pieces += [b[i:j], Pause(25)]
add("oai-utf8-split-reads", "Writes end inside a two-, a three- and a four-byte character. Decoding each read by itself makes "
    "replacement characters.", "deeplethe/utopia#764, ollama/ollama-js#255",
    [m.role()] + pieces + [m({}, "stop"), DONE],
    ok("Färöer 港 🚢 ok"))

m = OAI("sg-1", "harbor-1")
add("oai-surrogate-pair-over-chunks", "A server that cuts UTF-16 text sends one half of a character's escape in one delta and the "
    "other in the next; a third half stays alone. Disputed: a JSON parser makes each half U+FFFD, which loses a character "
    "that was sent.", "elizaOS/eliza#30904",
    [m.role(), data(dumps(m.obj({"content": "Boat @@"})).replace("@@", "\\ud83d")),
     data(dumps(m.obj({"content": "@@ and flag @@."})).replace("@@", "\\udea4", 1).replace("@@", "\\ud83d")),
     m({}, "stop"), DONE],
    ok("Boat \U0001F6A4 and flag \ufffd."))

# ===================== connection ============================================
m = OAI("id-1", "harbor-1")
add("oai-idle-stall", "Text, then silence on an open connection. Only an idle timeout gets out of it.",
    "earendil-works/pi#3352, 2389-research/tracker#575",
    [m.role(), m.text("The tide ")],
    err("idle_timeout", True, "The tide "), end="hold", hold_ms=6000, idle_timeout_ms=400)

m = OAI("dh-1", "harbor-1")
add("oai-done-then-held-open", "[DONE], then stray events, and the connection stays open. [DONE] is the end: nothing after it "
    "counts and the close is not awaited.", "ltmoerdani/opencode-copilot-chat#170, agentscope-ai/agentscope-java#2073",
    [m.role(), m.text("Moored."), m({}, "stop"), DONE, m.text(" Not this."), data({"error": {"message": "too late"}})],
    ok("Moored."), end="hold", hold_ms=6000)

# ===================== Messages ==============================================
S = ant_start("msg_b1", "claret-5", 25, 1, cache_read_input_tokens=100, cache_creation_input_tokens=0)
PING = ant({"type": "ping"})
add("ant-baseline-text-and-tool", "What the Messages API sends: a ping, a text block, a tool block whose input starts as {} and "
    "whose first partial_json is empty.", "spec",
    [S, blk(0, {"type": "text", "text": ""}), PING, text_delta(0, "Let me "), text_delta(0, "look."), stop(0),
     blk(1, {"type": "tool_use", "id": "toolu_b1", "name": "read_file", "input": {}}), json_delta(1, ""),
     json_delta(1, '{"path": "ca'), json_delta(1, 'bin.txt"}'), stop(1), mdelta("tool_use", output_tokens=38), MSTOP],
    ok("Let me look.", calls=[call("toolu_b1", "read_file", {"path": "cabin.txt"}, '{"path": "cabin.txt"}')],
       finish="tool_calls", usage=(125, 38)))

add("ant-tool-without-arguments", "A tool without parameters: input {} and one empty partial_json. The empty text is not the "
    "arguments.", "anthropics/anthropic-sdk-go#164, anthropics/anthropic-sdk-java#295",
    [ant_start("msg_n1", "claret-5"), blk(0, {"type": "tool_use", "id": "toolu_n1", "name": "now", "input": {}}),
     json_delta(0, ""), stop(0), mdelta("tool_use", output_tokens=9), MSTOP],
    ok(calls=[call("toolu_n1", "now", {}, None)], finish="tool_calls", usage=(11, 9)))

add("ant-overloaded-mid-stream", "Status 200, some text, then an error event. SDK retries only look at the status, and the status "
    "was 200.", "anthropics/anthropic-sdk-go#200, anthropics/anthropic-sdk-python#1918",
    [ant_start("msg_o1", "claret-5"), blk(0, {"type": "text", "text": ""}), text_delta(0, "First I will"),
     data({"type": "error", "error": {"details": None, "type": "overloaded_error", "message": "Overloaded"}}, event="error")],
    err("provider_error", True, "First I will", usage=(11, 1), contains="Overloaded"))

add("ant-max-tokens-inside-tool", "The output limit hits inside a tool block: the input never becomes JSON. Finish length; the call "
    "is handed out unusable.", "anthropics/anthropic-sdk-go#255",
    [ant_start("msg_m1", "claret-5"), blk(0, {"type": "tool_use", "id": "toolu_m1", "name": "write_file", "input": {}}),
     json_delta(0, '{"path": "hold.md", "te'), stop(0), mdelta("max_tokens", output_tokens=64), MSTOP],
    ok(calls=[call("toolu_m1", "write_file", None, '{"path": "hold.md", "te')], finish="length", usage=(11, 64)))

add("ant-thinking-signed-and-redacted", "A signed thinking block, a redacted one, a signed one with no text, then text. The blocks "
    "must go back unchanged, or the next request is refused.", "bitrouter/bitrouter#592, sepivip/SeekerClaw#431",
    [ant_start("msg_t1", "claret-5"), blk(0, {"type": "thinking", "thinking": "", "signature": ""}),
     dlt(0, {"type": "thinking_delta", "thinking": "North "}), dlt(0, {"type": "thinking_delta", "thinking": "or south?"}),
     dlt(0, {"type": "signature_delta", "signature": "c2lnLW9uZQ=="}), stop(0),
     blk(1, {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="}), stop(1),
     blk(2, {"type": "thinking", "thinking": "", "signature": ""}),
     dlt(2, {"type": "signature_delta", "signature": "c2lnLXR3bw=="}), stop(2),
     blk(3, {"type": "text", "text": ""}), text_delta(3, "North."), stop(3), mdelta("end_turn", output_tokens=20), MSTOP],
    ok("North.", "North or south?", usage=(11, 20), thinking_blocks=[
        {"type": "thinking", "thinking": "North or south?", "signature": "c2lnLW9uZQ=="},
        {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
        {"type": "thinking", "thinking": "", "signature": "c2lnLXR3bw=="}]))

add("ant-blocks-interleaved", "A gateway opens blocks before it closes others; deltas go by index, not to the block opened last. "
    "One block never gets its stop.", "anthropics/anthropic-sdk-go#350, mozilla-ai/any-llm#1305",
    [ant_start("msg_i1", "claret-5"), blk(0, {"type": "text", "text": ""}), text_delta(0, "Both "),
     blk(1, {"type": "tool_use", "id": "toolu_i1", "name": "read_file", "input": {}}),
     blk(2, {"type": "tool_use", "id": "toolu_i2", "name": "read_file", "input": {}}),
     json_delta(1, '{"path":"p'), json_delta(2, '{"path":"s'), text_delta(0, "sides."), json_delta(1, 'ort"}'),
     json_delta(2, 'tarboard"}'), stop(0), stop(2), mdelta("tool_use", output_tokens=31), MSTOP],
    ok("Both sides.", calls=[call("toolu_i1", "read_file", {"path": "port"}, '{"path":"port"}'),
                             call("toolu_i2", "read_file", {"path": "starboard"}, '{"path":"starboard"}')],
       finish="tool_calls", usage=(11, 31)))

add("ant-unknown-events", "An event type, a block type and a delta type that no reader knows yet. The API says that such may be "
    "added; they must not fail the stream.", "spec",
    [ant_start("msg_u1", "claret-6"), ant({"type": "heartbeat_v2", "at": 3}), blk(0, {"type": "text", "text": ""}),
     text_delta(0, "Still "), dlt(0, {"type": "tone_delta", "tone": "calm"}), text_delta(0, "afloat."), stop(0),
     blk(1, {"type": "sketch", "strokes": []}), dlt(1, {"type": "stroke_delta", "stroke": [1, 2]}), stop(1),
     mdelta("end_turn", output_tokens=5), MSTOP],
    ok("Still afloat.", usage=(11, 5)))

add("ant-eof-before-stop", "The body ends in order inside a tool block: no stop_reason, no message_stop. SDK streams end without an "
    "error here.", "SamSaffron/term-llm#955, griffinwork40/agent-afk#635",
    [ant_start("msg_e1", "claret-5"), blk(0, {"type": "text", "text": ""}), text_delta(0, "Now the patch."), stop(0),
     blk(1, {"type": "tool_use", "id": "toolu_e1", "name": "apply_patch", "input": {}}), json_delta(1, '{"patch": "@@"}')],
    err("truncated_stream", True, "Now the patch.", usage=(11, 1)))

add("ant-server-tool-and-pause", "The provider's own tool runs inside the turn, then the turn pauses. Neither the server tool's block "
    "nor its result is a call for us; pause means: send the turn back to go on.", "vellum-ai/vellum-assistant#40145, gsd-build/gsd-2#3248",
    [ant_start("msg_p1", "claret-5"), blk(0, {"type": "text", "text": "Searching."}), stop(0),
     blk(1, {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
     json_delta(1, '{"query": "tide tables"}'), stop(1),
     blk(2, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}), stop(2),
     mdelta("pause_turn", output_tokens=44), MSTOP],
    ok("Searching.", finish="pause", usage=(11, 44)))

add("ant-spliced-second-message", "A proxy lost its upstream within a tool block, tried again, and wrote the second response into the "
    "same body. Merging gives signed thinking that the API refuses from then on. Disputed: fail, or take the second alone; "
    "failing with a retry is what vercel/ai chose and needs no guess about what has been shown already.", "vercel/ai#18331",
    [ant_start("msg_s1", "claret-5"), blk(0, {"type": "text", "text": ""}), text_delta(0, "Part one"), stop(0),
     blk(1, {"type": "tool_use", "id": "toolu_s1", "name": "read_file", "input": {}}), json_delta(1, '{"path": "le'),
     ant_start("msg_s2", "claret-5"), blk(0, {"type": "text", "text": ""}), text_delta(0, "Part two"), stop(0),
     blk(1, {"type": "tool_use", "id": "toolu_s2", "name": "read_file", "input": {}}), json_delta(1, '{"path": "lee.txt"}'), stop(1),
     mdelta("tool_use", output_tokens=12), MSTOP],
    err("spliced_stream", True, "Part one", usage=(11, 1)))

# ===================== what the rules imply besides ===========================
# The cases above are shapes that were seen. These go through the rules one by
# one, so that none is only half read.

FIN = lambda m, r="stop", **kw: m({}, r, **kw)
X = OAI("x-1", "harbor-1")


def oai(name, why, body, expect, **kw):
    add("oai-" + name, why, "rule", body, expect, **kw)


def raw_chunk(text):
    """A chunk whose delta.content is given as the letters of its JSON string."""
    return data(dumps(X.obj({"content": "@@"})).replace("@@", text))


# ---- HTTP --------------------------------------------------------------------
oai("gzip", "The body is compressed, whatever the request asked for.", [X.role(), X.text("Packed ", "tight."), FIN(X), DONE],
    ok("Packed tight."), gz=True)
oai("json-whole-as-event-stream", "One JSON object under an event-stream type is the whole response.",
    [dumps({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "All at once."},
     "finish_reason": "stop"}], "usage": usage(5, 3)}).encode()], ok("All at once.", usage=(5, 3)))
oai("json-whole-with-calls", "An unstreamed response with two calls that have neither id nor index, and thinking.",
    [b"\n\n  ", dumps({"choices": [{"message": {"role": "assistant", "content": None, "reasoning_content": "Two of them.",
     "tool_calls": [entry(name="now", args=""), entry(name="now", args="")]}, "finish_reason": "stop"}]}).encode()],
    ok(thinking="Two of them.", calls=[call("*", "now", {}, ""), call("*", "now", {}, "")], finish="tool_calls"),
    ctype="application/json", framing="length")
oai("json-whole-cut", "The one JSON object is cut in the middle.", [b'{"choices":[{"message":{"content":"Ha'],
    err("truncated_stream", True), ctype="application/json")
oai("json-whole-broken", "The body begins as a JSON object and is none.", [b'{"choices":[}]}'], err("bad_json", True),
    ctype="application/json")
oai("json-error-string", "The error under status 200 is a string, its code stands beside it.",
    [b'{"error":"The pier is closed","code":"429"}'], err("provider_error", True, contains="The pier is closed"))
oai("html-in-event-stream", "A web page labelled as an event stream, after blank lines.",
    [b"\r\n \n<html><title>Sign in</title></html>"], err("not_a_stream", False, contains="Sign in"))
oai("no-body", "Status 200 and nothing.", [b""], err("empty_response", True), framing="length")
oai("no-content-type", "No content type at all.", [X.text("Bare."), FIN(X), DONE], ok("Bare."), ctype=None)

# ---- events ------------------------------------------------------------------
oai("sse-cr-only", "Lines end at CR alone.", [data(X.obj({"content": "Old "}), nl=b"\r"), data(X.obj({"content": "Mac"}), nl=b"\r"),
    data(X.obj({}, "stop"), nl=b"\r"), b"data: [DONE]\r\r"], ok("Old Mac"))
oai("sse-only-keepalives", "Comments and blank data, then the end: no event came.",
    [b": hold on\n\n", b"data:\n\n", b"data: null\n\n"], err("empty_response", True))
oai("sse-bytes-not-utf8", "Two bytes that are no UTF-8 stand in a text: each becomes a replacement character.",
    [data(dumps(X.obj({"content": "a@@b"})).encode().replace(b"@@", b"\xff\xfe")), FIN(X), DONE], ok("a\ufffd\ufffdb"))
oai("sse-error-event-plain", "An event named error whose data is plain text.",
    [X.text("So far "), b"event: error\ndata: upstream went away\n\n", X.text("not this"), FIN(X), DONE],
    err("provider_error", True, "So far ", contains="upstream went away"))
oai("sse-error-event-json", "An event named error whose data is the error object itself.",
    [b'event: error\ndata: {"message":"No such model","code":404}\n\n'], err("provider_error", False, contains="No such model"))
oai("sse-error-event-open", "The body ends inside an event named error: it counts, whatever its data is.",
    [X.text("Up to"), b"event: error\ndata: worker died"], err("provider_error", True, "Up to", contains="worker died"))
oai("sse-done-without-blank-line", "[DONE] is the last line and nothing ends it.", [X.text("Moored"), FIN(X), b"data:[DONE]"],
    ok("Moored"))
oai("sse-done-with-blanks", "Blanks around [DONE].", [X.text("Moored"), b"data:   [DONE] \n\n", X.text("no")], ok("Moored"))
oai("sse-cut-within-event", "The body ends inside the JSON of a chunk.", [X.text("Half "), data(X.obj({"content": "lost"}))[:-20]],
    err("truncated_stream", True, "Half "))
oai("sse-cut-within-only-event", "The body ends inside the first event: something came, but nothing whole.",
    [data(X.obj({"content": "lost"}))[:-20]], err("truncated_stream", True))
oai("sse-not-json", "An event in the middle is not JSON. Leaving it out would be a guess.",
    [X.text("One "), b"data: {\"choices\":[{\"delta\":{\"content\":\"two\"}]}\n\n", X.text("three"), FIN(X), DONE],
    err("bad_json", True, "One "))
oai("sse-json-array", "An event's data is JSON, but no object.", [X.text("One "), b"data: [1]\n\n", FIN(X), DONE],
    err("bad_json", True, "One "))
oai("sse-unknown-names", "Named events are read like others; unknown fields are not.",
    [data(X.obj({"content": "Named"}), event="chunk"), b"foo: bar\nretry: 1\n\n", FIN(X), DONE], ok("Named"))

# ---- surrogates --------------------------------------------------------------
oai("surrogate-alone-at-end", "Half a character ends the text and its other half never comes.",
    [raw_chunk("Flag \\ud83d"), FIN(X), DONE], ok("Flag \ufffd"))
oai("surrogate-alone-then-text", "Half a character is followed by other text.",
    [raw_chunk("a\\ud83d"), raw_chunk("b"), FIN(X), DONE], ok("a\ufffdb"))
oai("surrogate-second-half-alone", "The second half of nothing.", [raw_chunk("a\\udea4b"), FIN(X), DONE], ok("a\ufffdb"))
oai("surrogate-over-empty-chunk", "An empty delta between the halves is nothing.",
    [raw_chunk("\\ud83d"), X({"content": ""}), raw_chunk("\\udea4"), FIN(X), DONE], ok("\U0001F6A4"))
oai("surrogate-in-arguments", "A half inside the arguments' own escapes: the call is usable, its arguments are mended, its text is not.",
    [X.tc(entry(0, "c1", "say", '{"a":"x\\ud83dy"}')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "say", {"a": "x\ufffdy"}, '{"a":"x\\ud83dy"}')], finish="tool_calls"))
oai("surrogate-split-in-arguments", "A character of the argument text is cut in two halves by the outer escapes.",
    [data(dumps(X.obj({"tool_calls": [entry(0, "c1", "say", '{"a":"@@')]})).replace("@@", "\\ud83d")),
     data(dumps(X.obj({"tool_calls": [entry(0, args='@@"}')]})).replace("@@", "\\udea4")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "say", {"a": "\U0001F6A4"}, '{"a":"\U0001F6A4"}')], finish="tool_calls"))
oai("surrogate-in-thinking", "Halves of text and of thinking do not meet.",
    [data(dumps(X.obj({"reasoning_content": "t@@"})).replace("@@", "\\ud83d")), raw_chunk("x\\ud83d"),
     data(dumps(X.obj({"reasoning_content": "@@"})).replace("@@", "\\udea4")), raw_chunk("\\udea4"), FIN(X), DONE],
    ok("x\U0001F6A4", "t\U0001F6A4"))

# ---- errors ------------------------------------------------------------------
oai("error-string", "The error is a string.", [X.text("a"), data({"error": "out of berths"})],
    err("provider_error", True, "a", contains="out of berths"))
oai("error-empty-string", "error is a string without words: not null, so an error all the same.",
    [X.text("a"), X({"content": "b"}, error=""), FIN(X), DONE], err("provider_error", True, "ab"))
oai("error-empty-string-in-choice", "The same in the choice.",
    [X.text("a"), X({}, "stop", choice_extra={"error": ""}), DONE], err("provider_error", True, "a"))
oai("error-in-choice", "The error stands in the choice, with a finish reason.",
    [X.text("a"), X({"content": "b"}, "error", choice_extra={"error": {"message": "moderated", "code": 403}}), DONE],
    err("provider_error", False, "ab", contains="moderated"))
oai("error-finish-reason", "The finish reason is error and nothing says why.", [X.text("a"), FIN(X, "error"), DONE],
    err("provider_error", True, "a"))
oai("error-object-kind", "The chunk's object is error.", [data({"object": "error", "message": "too long", "code": 400})],
    err("provider_error", False, contains="too long"))
oai("error-after-finish", "An error after the finish reason beats it.",
    [X.text("a"), FIN(X), data({"error": {"message": "usage store down", "code": "500"}}), DONE],
    err("provider_error", True, "a", contains="usage store down"))
for word, again in (("invalid_request_error", False), ("insufficient_quota", False), ("context_length_exceeded", False),
                    ("rate_limit_exceeded", True), ("server_error", True)):
    oai("error-kind-" + word.replace("_", "-"), "No number tells whether to try again: type and code do.",
        [data({"error": {"message": "no", "type": None, "code": word}})], err("provider_error", again, contains="no"))
oai("error-number-beats-type", "A number decides, whatever the type says.",
    [data({"error": {"message": "slow down", "type": "invalid_request_error", "status": 429}})],
    err("provider_error", True, contains="slow down"))
oai("error-digits", "A string of digits is a number.", [data({"error": {"message": "gone", "status_code": "410"}})],
    err("provider_error", False, contains="gone"))

# ---- choices and deltas ------------------------------------------------------
oai("choices-other-index", "Only the choice with index 0 counts.",
    [data(X.obj(choices=[{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"},
                         {"index": 0, "delta": {"content": "yes"}, "finish_reason": None}])), FIN(X), DONE], ok("yes"))
oai("choices-null-and-absent", "choices null, absent, and without index; delta null.",
    [data(X.obj(choices=[{"delta": {"content": "Here"}}])), data({"choices": None, "usage": usage(3, 1)}), data({"id": "x"}),
     data(X.obj(choices=[{"index": None, "delta": None, "finish_reason": "stop"}])), DONE], ok("Here", usage=(3, 1)))
oai("escaped-keys", "The members' names are written with escapes.",
    [b'data: {"choices":[{"d\\u0065lta":{"con\\u0074ent":"Odd"},"finish_reason":"stop"}]}\n\n', DONE], ok("Odd"))
oai("member-twice", "A member comes twice: as every JSON reader does, the last one counts.",
    [b'data: {"choices":[{"delta":{"content":"no","content":"yes"},"finish_reason":"stop"}]}\n\n', DONE], ok("yes"))
oai("all-in-one-chunk", "Thinking, text, a call, the finish and the usage share one chunk.",
    [X({"reasoning": "Hm.", "content": "Now.", "tool_calls": [entry(0, "c1", "now", "{}")]}, "tool_calls", usage=usage(4, 4)), DONE],
    ok("Now.", "Hm.", [call("c1", "now", {}, "{}")], "tool_calls", (4, 4)))
oai("refusal", "A refusal is text and the finish.", [X({"refusal": "I will "}), X({"refusal": "not."}), FIN(X), DONE],
    ok("I will not.", finish="refusal"))
oai("refusal-within-think", "A refusal is text also where a think tag was not closed.",
    [X.text("<think>May I?"), X({"refusal": "I will not."}), FIN(X), DONE], ok("I will not.", thinking="May I?", finish="refusal"))
oai("function-call", "The legacy function_call in pieces is one call without an id.",
    [X({"function_call": {"name": "now", "arguments": ""}}), X({"function_call": {"arguments": '{"zone"'}}),
     X({"function_call": {"name": "", "arguments": ':"utc"}'}}), FIN(X, "function_call"), DONE],
    ok(calls=[call("*", "now", {"zone": "utc"}, '{"zone":"utc"}')], finish="tool_calls"))
oai("call-extra", "A member that the vendor adds to a call is kept.",
    [X.tc(entry(0, "c1", "now", "{}", extra_content={"google": {"thought_signature": "c2ln"}})), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {}, "{}", extra={"extra_content": {"google": {"thought_signature": "c2ln"}}})], finish="tool_calls"))

inner = entry(0, "c1", "now", "{}")
inner["function"]["thought_signature"] = "c2ln"
oai("call-extra-in-function", "The member that the vendor adds stands within function, and another comes with a later piece.",
    [X.tc(inner), X.tc({"index": 0, "function": {"arguments": "", "note": {"a": [1]}}}), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {}, "{}", extra={"function": {"thought_signature": "c2ln", "note": {"a": [1]}}})], finish="tool_calls"))

# ---- thinking ----------------------------------------------------------------
oai("reasoning-first-counts", "Of several thinking fields one counts: they repeat each other.",
    [X({"reasoning": "b", "reasoning_content": "a", "reasoning_details": [{"type": "reasoning.text", "text": "c"}]}),
     X({"reasoning": "d", "reasoning_content": ""}), X({"reasoning_details": [{"text": "e"}, {"summary": "f"}]}),
     X.text("x"), FIN(X), DONE], ok("x", "adef"))
oai("think-whole", "The tags come whole, with blanks around.", [X.text(" \n<think> Port? </think> \n Starboard. "), FIN(X), DONE],
    ok("Starboard. ", "Port?"))
oai("think-by-letter", "Each letter comes alone.", [X.text(*"<think>a<b</think>c<"), FIN(X), DONE], ok("c<", "a<b"))
oai("think-not-closed", "The tag is never closed: all of it is thinking.", [X.text("<think>a ", "b</thin"), FIN(X, "length"), DONE],
    ok(thinking="a b</thin", finish="length"))
oai("think-not-first", "A tag that is not first is text.", [X.text("a<think>b</think>"), FIN(X), DONE], ok("a<think>b</think>"))
oai("think-tag-cut", "The text ends inside what could have become the tag.", [X.text(" <thi"), FIN(X), DONE], ok(" <thi"))
oai("think-after-reasoning", "After reasoning fields the tag is text; a closing tag that starts the text goes.",
    [X({"reasoning": "r"}), X.text("</thi", "nk>So be it"), FIN(X), DONE], ok("So be it", "r"))
oai("think-open-after-reasoning", "An opening tag after reasoning fields is plain text.",
    [X({"reasoning": "r"}), X.text("<think>x</think>"), FIN(X), DONE], ok("<think>x</think>", "r"))
oai("think-cut", "The stream breaks inside the tags: what came is thinking.", [X.text("<think>a", " b ")],
    err("truncated_stream", True, thinking="a b"))
oai("text-blank-only", "Blanks are text too.", [X.text(" ", "\n"), FIN(X), DONE], ok(" \n"))

# ---- which call --------------------------------------------------------------
oai("bad-tool-call", "Arguments whose call has no name.", [X.tc(entry(0, "c1", args='{"a":1}')), FIN(X, "tool_calls"), DONE],
    err("bad_tool_call", True))
oai("call-empty-slot", "A slot with an id and nothing else is dropped.",
    [X.tc(entry(0, "c0")), X.tc(entry(1, "c1", "now", "{}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {}, "{}")], finish="tool_calls"))
oai("call-named-later", "A call that began with an id alone is named after the next one: it stays the first.",
    [X.tc(entry(0, "c0")), X.tc(entry(1, "c1", "now", "{}")), X.tc(entry(0, name="list_dir", args='{"path":"a"}')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c0", "list_dir", {"path": "a"}, '{"path":"a"}'), call("c1", "now", {}, "{}")], finish="tool_calls"))
oai("call-ids-same", "Two calls have the same id: the first keeps it.",
    [X.tc(entry(0, "call_0", "now", "{}")), X.tc(entry(1, "call_0", "list_dir", '{"path":"a"}')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("call_0", "now", {}, "{}"), call("*", "list_dir", {"path": "a"}, '{"path":"a"}')], finish="tool_calls"))
oai("call-id-late", "The id comes with the last piece.",
    [X.tc(entry(0, name="now", args='{"a"')), X.tc(entry(0, "c1", args=":1}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {"a": 1}, '{"a":1}')], finish="tool_calls"))
oai("call-no-index-no-id", "Neither index nor id: another name begins another call.",
    [X.tc(entry(name="now", args="{}")), X.tc(entry(name="list_dir", args='{"path":')), X.tc(entry(args='"b"}')),
     FIN(X, "tool_calls"), DONE],
    ok(calls=[call("*", "now", {}, "{}"), call("*", "list_dir", {"path": "b"}, '{"path":"b"}')], finish="tool_calls"))
oai("call-same-name-again", "The same tool twice under one index without ids: complete arguments end a call.",
    [X.tc(entry(0, name="list_dir", args='{"path":"a"}')), X.tc(entry(0, name="list_dir", args='{"path":"b"}')),
     FIN(X, "tool_calls"), DONE],
    ok(calls=[call("*", "list_dir", {"path": "a"}, '{"path":"a"}'), call("*", "list_dir", {"path": "b"}, '{"path":"b"}')],
       finish="tool_calls"))
oai("call-id-new-within-arguments", "Another id while the arguments are begun and not complete: still the same call.",
    [X.tc(entry(0, "a", "now", '{"z"')), X.tc(entry(0, "b", "now", ":1}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("a", "now", {"z": 1}, '{"z":1}')], finish="tool_calls"))
oai("call-placeholder", "{} first and the arguments after it: a placeholder.",
    [X.tc(entry(0, "c1", "list_dir", "{}")), X.tc(entry(0, args='{"path":')), X.tc(entry(0, args='"a"}')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "list_dir", {"path": "a"}, '{"path":"a"}')], finish="tool_calls"))
oai("call-placeholder-with-name", "The placeholder is followed by an entry that has the name again.",
    [X.tc(entry(0, "c1", "list_dir", "{}")), X.tc(entry(0, "c1", "list_dir", '{"path":"a"}')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "list_dir", {"path": "a"}, '{"path":"a"}')], finish="tool_calls"))
oai("call-name-grows", "The name comes longer each time.",
    [X.tc(entry(0, "c1", "list")), X.tc(entry(0, "c1", "list_dir")), X.tc(entry(0, args="{}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "list_dir", {}, "{}")], finish="tool_calls"))
oai("call-name-after-arguments", "Once arguments have begun another name is dropped.",
    [X.tc(entry(0, "c1", "now", '{"a":')), X.tc(entry(0, "c1", "later", "1}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {"a": 1}, '{"a":1}')], finish="tool_calls"))
oai("call-args-null-text", "The argument text is null, or blank.",
    [X.tc(entry(0, "c1", "now", "null"), entry(1, "c2", "now", " \n")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {}, "null"), call("c2", "now", {}, "")], finish="tool_calls"))
oai("call-args-quoted-object", "The arguments are a JSON string that holds the object: unwrapped once.",
    [X.tc(entry(0, "c1", "now", '"{\\"a\\":1}"')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {"a": 1}, '"{\\"a\\":1}"')], finish="tool_calls"))
oai("call-args-array", "The arguments are JSON and no object.", [X.tc(entry(0, "c1", "now", "[1]")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", None, "[1]")], finish="tool_calls"))
oai("call-args-with-blanks", "Blanks around the argument text are trimmed.",
    [X.tc(entry(0, "c1", "now", " \n")), X.tc(entry(0, args=' {"a" : 1}\n ')), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {"a": 1}, '{"a" : 1}')], finish="tool_calls"))
oai("call-one-good-one-bad", "One call is usable, one is not: both are answered.",
    [X.tc(entry(0, "c1", "now", "{}"), entry(1, "c2", "now", "{no")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {}, "{}"), call("c2", "now", None, "{no")], finish="tool_calls"))
oai("call-index-by-text", "An index that is no number is absent.",
    [X.tc(entry("0", "c1", "now", "{}")), X.tc(entry("1", "c2", "list_dir", "{}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("c1", "now", {}, "{}"), call("c2", "list_dir", {}, "{}")], finish="tool_calls"))
oai("call-long-id", "An odd id is kept to the letter.", [X.tc(entry(0, "call/ü|" + "x" * 80, "now", "{}")), FIN(X, "tool_calls"), DONE],
    ok(calls=[call("call/ü|" + "x" * 80, "now", {}, "{}")], finish="tool_calls"))

# ---- finish and usage --------------------------------------------------------
oai("finish-content-filter", "The filter cut the answer and a call: it stays the filter's.",
    [X.text("a"), X.tc(entry(0, "c1", "now", "{}")), FIN(X, "content_filter"), DONE],
    ok("a", calls=[call("c1", "now", {}, "{}")], finish="content_filter"))
oai("finish-tool-calls-without", "tool_calls without a call, but with text, is stop.", [X.text("a"), FIN(X, "tool_calls"), DONE], ok("a"))
oai("finish-tool-calls-empty", "tool_calls with neither call nor text.", [X({"reasoning": "r"}), FIN(X, "tool_calls"), DONE],
    err("empty_response", True, thinking="r"))
oai("finish-unknown", "An unknown reason is stop.", [X.text("a"), FIN(X, "eos_token"), DONE], ok("a"))
oai("finish-last-counts", "Of several reasons the last counts.", [X.text("a"), FIN(X, "stop"), FIN(X, "length"), FIN(X, None), DONE],
    ok("a", finish="length"))
oai("finish-stop-with-nothing", "Nothing at all and stop: models do end so.", [X.role(), FIN(X), DONE], ok())
oai("finish-text-after", "Text after the finish reason still counts.", [X.text("a"), FIN(X), X.text("b"), DONE], ok("ab"))
oai("done-with-nothing", "[DONE] and nothing before it.", [DONE], err("empty_response", True))
oai("done-within-arguments", "[DONE] without a reason inside a call's arguments.",
    [X.tc(entry(0, "c1", "now", '{"a":')), DONE], err("truncated_stream", True))
oai("usage-places", "Usage in the choice, in x_groq and at the top, number by number.",
    [X.text("a"), X({}, "stop", choice_extra={"usage": {"prompt_tokens": 7, "completion_tokens": 1}}),
     data({"choices": [], "x_groq": {"usage": {"completion_tokens": 4}}}), data({"choices": [], "usage": {"prompt_tokens": 0}}), DONE],
    ok("a", usage=(7, 4)))
oai("usage-escaped-keys", "The keys of the usage are written with escapes.",
    [X.text("a"), FIN(X), b'data: {"choices":[],"usa\\u0067e":{"prompt\\u005ftokens":7,"completion_token\\u0073":4}}\n\n', DONE],
    ok("a", usage=(7, 4)))
oai("usage-beside-deep-members", "A very deep member stands before the numbers.",
    [X.text("a"), FIN(X), data('{"choices":[],"usage":{"cost":' + "[" * 80 + "]" * 80 + ',"prompt_tokens":7,"completion_tokens":4}}'), DONE],
    ok("a", usage=(7, 4)))
oai("usage-without-numbers", "An empty usage object tells nothing.", [X.text("a"), FIN(X, usage={}), DONE], ok("a"))
oai("usage-on-error", "What was told before the stream broke still costs.", [X({"content": "a"}, usage=usage(9, 1))],
    err("truncated_stream", True, "a", usage=(9, 1)))

# ---- the connection ----------------------------------------------------------
oai("reset-mid-stream", "The connection is reset in the middle.", [X.role(), X.text("The rope")],
    err("truncated_stream", True, "The rope"), end="reset", cut=True)
oai("reset-before-first-event", "The connection is reset when only comments have come.", [b": hold on\n\n"],
    err("empty_response", True), end="reset", cut=True)
oai("reset-within-first-event", "The connection is reset inside the first event.", [data(X.obj({"content": "lost"}))[:-9]],
    err("truncated_stream", True), end="reset", cut=True)
oai("reset-after-finish", "The connection is reset after the finish reason: complete.", [X.text("Made fast."), FIN(X)],
    ok("Made fast."), end="reset", cut=True)
oai("close-without-last-chunk", "The connection closes without the last HTTP chunk after the finish.",
    [X.text("Made fast."), FIN(X)], ok("Made fast."), cut=True)
oai("close-mid-chunk", "The connection closes inside an event.", [X.text("The "), data(X.obj({"content": "rope"}))[:-9]],
    err("truncated_stream", True, "The "), cut=True)
oai("finish-then-held-open", "A finish reason, then silence on an open connection.", [X.text("Fast."), FIN(X)],
    ok("Fast."), end="hold", hold_ms=9000)
oai("finish-then-heartbeats", "After the finish reason only comments come, and come for long.",
    [X.text("Fast."), FIN(X)] + [p for _ in range(14) for p in (Pause(400), b": still here\n\n")], ok("Fast."),
    end="hold", hold_ms=4000)
oai("finish-then-late-usage", "The usage comes a while after the finish reason.",
    [X.text("Fast."), FIN(X), Pause(600), data(X.obj(choices=[], usage=usage(3, 2))), DONE], ok("Fast.", usage=(3, 2)))
oai("idle-heartbeats", "Comments are bytes: the idle timeout does not come while they do.",
    [X.text("Slow ")] + [p for _ in range(6) for p in (Pause(150), b":\n\n")] + [X.text("tide"), FIN(X), DONE],
    ok("Slow tide"), idle_timeout_ms=600)
oai("idle-before-first-event", "Headers, then silence.", [b": hello\n\n"], err("idle_timeout", True), end="hold", hold_ms=6000,
    idle_timeout_ms=300)
oai("idle-within-event", "Silence in the middle of an event that is not whole.", [X.text("a"), b'data: {"choices"'],
    err("idle_timeout", True, "a"), end="hold", hold_ms=6000, idle_timeout_ms=300)
oai("idle-with-open-finish", "Silence before the blank line of the event with the finish reason.",
    [X.text("a"), data(X.obj({}, "stop"))[:-1]], ok("a"), end="hold", hold_ms=6000, idle_timeout_ms=300)

# ---- Messages, rule by rule ----------------------------------------------------
# Started as the message msg_r1; what follows are the events of one text block.
A = ant_start("msg_r1", "claret-5")
TEXT = {"type": "text", "text": ""}


def ant_case(name, why, body, expect, **kw):
    add("ant-" + name, why, "rule", body, expect, **kw)


def tool(i, id="toolu_r1", name="read_file", input=None, **more):
    return blk(i, {"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input, **more})


def raw_delta(i, kind, member, letters):
    """A delta whose text is given as the letters of its JSON string."""
    return data('{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":"%s"}}' % (i, kind, member, letters),
                event="content_block_delta")


def said(*texts, reason="end_turn", head=A):
    return [head, blk(0, TEXT)] + [text_delta(0, t) for t in texts] + [stop(0), mdelta(reason, output_tokens=7), MSTOP]


ant_case("ping-storm", "Pings before, between and after everything, with members of their own.",
    [PING, PING, A, PING, blk(0, TEXT)] + [p for t in ("Round ", "and ", "round.") for p in (PING, PING, text_delta(0, t), PING)]
    + [ant({"type": "ping", "usage": None, "index": 0}), stop(0), PING, mdelta("end_turn", output_tokens=7), PING, MSTOP],
    ok("Round and round.", usage=(11, 7)))
ant_case("ping-only", "Nothing but pings, then the end: they are events, but no answer.", [PING] * 5,
    err("truncated_stream", True))
ant_case("event-names-absent", "No event lines: type in the data decides.",
    [data(o) for o in ({"type": "message_start", "message": {"id": "msg_r1", "usage": {"input_tokens": 11, "output_tokens": 1}}},
     {"type": "content_block_start", "index": 0, "content_block": TEXT},
     {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Unnamed."}},
     {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}, {"type": "message_stop"})],
    ok("Unnamed.", usage=(11, 7)))
ant_case("event-types-absent", "No type in the data: the event's name decides.",
    [data({"message": {"id": "msg_r1"}}, event="message_start"), data({"index": 0, "content_block": TEXT}, event="content_block_start"),
     data({"index": 0, "delta": {"type": "text_delta", "text": "Untyped."}}, event="content_block_delta"),
     data({"delta": {"stop_reason": "end_turn"}}, event="message_delta"), data({}, event="message_stop")], ok("Untyped."))
ant_case("event-name-and-type-differ", "They say different things: type decides.",
    [A, blk(0, TEXT), data({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "As typed."}}, event="tide"),
     mdelta("end_turn"), MSTOP], ok("As typed.", usage=(11, 1)))
ant_case("unknown-block-with-text", "A block of an unknown kind gets deltas of known kinds: no text, no call.",
    [A, blk(0, {"type": "sketch", "text": "not shown"}), text_delta(0, "nor this"), json_delta(0, '{"a":1}'), stop(0),
     blk(1, TEXT), text_delta(1, "Shown."), stop(1), mdelta("end_turn", output_tokens=7), MSTOP], ok("Shown.", usage=(11, 7)))
ant_case("delta-before-start", "A delta for a block that never started starts it.",
    [A, text_delta(0, "No "), text_delta(0, "start."), mdelta("end_turn", output_tokens=7), MSTOP], ok("No start.", usage=(11, 7)))
ant_case("index-gaps", "Indexes with holes and from far off: a block is what its index names, in order of appearance.",
    [A, blk(7, TEXT), text_delta(7, "Far "), blk(90, {"type": "tool_use", "id": "toolu_g", "name": "now", "input": {}}),
     text_delta(7, "off."), json_delta(90, "{}"), stop(90), stop(7), mdelta("tool_use", output_tokens=7), MSTOP],
    ok("Far off.", calls=[call("toolu_g", "now", {}, "{}")], finish="tool_calls", usage=(11, 7)))
ant_case("block-starts-with-content", "Text, thinking and input that come with the start of a block count.",
    [A, blk(0, {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}), dlt(0, {"type": "thinking_delta", "thinking": "."}), stop(0),
     blk(1, {"type": "text", "text": "Be"}), text_delta(1, "gun."), stop(1), tool(2, input={"path": "keel"}), json_delta(2, ""), stop(2),
     mdelta("tool_use", output_tokens=7), MSTOP],
    ok("Begun.", "Hm.", calls=[call("toolu_r1", "read_file", {"path": "keel"}, '{"path":"keel"}')], finish="tool_calls", usage=(11, 7),
       thinking_blocks=[{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]))
ant_case("input-then-deltas", "A block starts with an input and gets deltas of it too: only they count.",
    [A, tool(0, input={"path": "old"}), json_delta(0, '{"path":'), json_delta(0, '"new"}'), stop(0), mdelta("tool_use", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_r1", "read_file", {"path": "new"}, '{"path":"new"}')], finish="tool_calls", usage=(11, 7)))
ant_case("input-empty", "Two tools without arguments: one without any delta, one with an empty object in deltas.",
    [A, tool(0, "toolu_1", "now"), stop(0), tool(1, "toolu_2", "now"), json_delta(1, "{"), json_delta(1, "}"), stop(1),
     mdelta("tool_use", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_1", "now", {}, "{}"), call("toolu_2", "now", {}, "{}")], finish="tool_calls", usage=(11, 7)))
ant_case("input-split-in-surrogate", "partial_json is cut inside a surrogate pair, once of its own escapes and once of those within.",
    [A, tool(0), raw_delta(0, "input_json_delta", "partial_json", '{\\"path\\":\\"\\ud83d'), raw_delta(0, "input_json_delta", "partial_json", '\\udea4'),
     raw_delta(0, "input_json_delta", "partial_json", '\\\\ud83d'), raw_delta(0, "input_json_delta", "partial_json", '\\\\udea4\\"}'), stop(0),
     mdelta("tool_use", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_r1", "read_file", {"path": "\U0001f6a4\U0001f6a4"}, '{"path":"\U0001f6a4\\ud83d\\udea4"}')], finish="tool_calls", usage=(11, 7)))
ant_case("input-split-in-escape", "partial_json is cut between a backslash and what it escapes.",
    [A, tool(0), json_delta(0, '{"path":"a\\'), json_delta(0, '"b\\'), json_delta(0, 'u00'), json_delta(0, 'e9"}'), stop(0),
     mdelta("tool_use", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_r1", "read_file", {"path": 'a"b\u00e9'}, '{"path":"a\\"b\\u00e9"}')], finish="tool_calls", usage=(11, 7)))
ant_case("text-split-in-surrogate", "A text delta ends in half a character; one half never gets its other.",
    [A, blk(0, TEXT), raw_delta(0, "text_delta", "text", "boat \\ud83d"), PING, raw_delta(0, "text_delta", "text", "\\udea4 \\ud83d"), stop(0),
     mdelta("end_turn", output_tokens=7), MSTOP], ok("boat \U0001f6a4 \ufffd", usage=(11, 7)))
ant_case("call-without-name", "Arguments for a block that never started: a call that names no tool.",
    [A, json_delta(0, '{"path":"keel"}'), stop(0), mdelta("tool_use", output_tokens=7), MSTOP], err("bad_tool_call", True, usage=(11, 7)))
ant_case("call-extra", "A member that the vendor adds to a call is kept.",
    [A, tool(0, "toolu_x", "now", caller={"type": "direct"}), stop(0), mdelta("tool_use", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_x", "now", {}, "{}", extra={"caller": {"type": "direct"}})], finish="tool_calls", usage=(11, 7)))
ant_case("call-ids-same", "Two calls have the same id: the first keeps it.",
    [A, tool(0), json_delta(0, '{"path":"a"}'), stop(0), tool(1), json_delta(1, '{"path":"b"}'), stop(1), mdelta("tool_use", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_r1", "read_file", {"path": "a"}, None), call("*", "read_file", {"path": "b"}, None)], finish="tool_calls", usage=(11, 7)))
ant_case("redacted-thinking-first", "A redacted block before any other, beside signed thinking without deltas.",
    [A, blk(0, {"type": "redacted_thinking", "data": "cmVk"}), stop(0), blk(1, {"type": "thinking", "thinking": "So.", "signature": "c2ln"}), stop(1),
     blk(2, TEXT), text_delta(2, "Aye."), stop(2), mdelta("end_turn", output_tokens=7), MSTOP],
    ok("Aye.", "So.", usage=(11, 7), thinking_blocks=[{"type": "redacted_thinking", "data": "cmVk"},
                                                      {"type": "thinking", "thinking": "So.", "signature": "c2ln"}]))
ant_case("stop-max-tokens", "The limit of the answer.", said("And then", reason="max_tokens"), ok("And then", finish="length", usage=(11, 7)))
ant_case("stop-window-exceeded", "The model's window is full.", said("And then", reason="model_context_window_exceeded"),
    ok("And then", finish="length", usage=(11, 7)))
ant_case("stop-refusal", "The model refuses.", said("I will not.", reason="refusal"), ok("I will not.", finish="refusal", usage=(11, 7)))
ant_case("stop-pause-turn", "The turn pauses without a tool of the provider.", said("Wait", reason="pause_turn"), ok("Wait", finish="pause", usage=(11, 7)))
ant_case("stop-sequence", "A stop sequence of the caller.", said("Up to here", reason="stop_sequence"), ok("Up to here", usage=(11, 7)))
ant_case("stop-unknown", "A stop reason of tomorrow.", said("Fine.", reason="tide_turned"), ok("Fine.", usage=(11, 7)))
ant_case("stop-tool-use-without", "The stop reason promises calls, and there is neither one nor text.",
    [A, mdelta("tool_use", output_tokens=7), MSTOP], err("empty_response", True, usage=(11, 7)))
ant_case("stop-refusal-with-call", "A refusal beside a call stays one: nothing is run.",
    [A, tool(0), json_delta(0, '{"path":"a"}'), stop(0), mdelta("refusal", output_tokens=7), MSTOP],
    ok(calls=[call("toolu_r1", "read_file", {"path": "a"}, None)], finish="refusal", usage=(11, 7)))
ant_case("message-stop-absent", "A stop reason, then the end: complete.", said("Home.")[:-1], ok("Home.", usage=(11, 7)))
ant_case("message-stop-alone", "message_stop without any stop reason: complete all the same.",
    [A, blk(0, TEXT), text_delta(0, "Home."), stop(0), MSTOP], ok("Home.", usage=(11, 1)))
ant_case("message-stop-then-more", "Nothing after message_stop is read.", said("Home.") + [ant({"type": "error", "error": {"type": "api_error", "message": "late"}})],
    ok("Home.", usage=(11, 7)))
ant_case("message-delta-without-usage", "message_delta tells no usage: what message_start told stays.",
    [A, blk(0, TEXT), text_delta(0, "Home."), stop(0), mdelta("end_turn"), MSTOP], ok("Home.", usage=(11, 1)))
ant_case("message-delta-null-usage", "Usage that is null, or 0 where a number came before, replaces nothing.",
    [A, blk(0, TEXT), text_delta(0, "Home."), stop(0), mdelta(None, output_tokens=9), mdelta("end_turn", output_tokens=0, input_tokens=None), MSTOP],
    ok("Home.", usage=(11, 9)))
ant_case("message-start-again", "The same message starts twice: ignored.", [A] + said("Once."), ok("Once.", usage=(11, 7)))
ant_case("spliced-in-text", "Another message starts within a text block.",
    [A, blk(0, TEXT), text_delta(0, "One"), ant_start("msg_r2", "claret-5"), blk(0, TEXT), text_delta(0, "Two"), stop(0), mdelta("end_turn"), MSTOP],
    err("spliced_stream", True, "One", usage=(11, 1)))
ant_case("error-mid-stream", "An error event between two deltas that will not go away: final.",
    [A, blk(0, TEXT), text_delta(0, "Half"), ant({"type": "error", "error": {"type": "invalid_request_error", "message": "The hold is full"}}),
     text_delta(0, " more"), MSTOP], err("provider_error", False, "Half", usage=(11, 1), contains="The hold is full"))
ant_case("error-overloaded-first", "Overloaded before any message.", [ant({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})],
    err("provider_error", True, contains="Overloaded"))
ant_case("error-by-name-only", "Only the event's name says that it is an error, and its data is plain text.",
    [A, data("upstream went away", event="error")], err("provider_error", True, usage=(11, 1), contains="upstream went away"))
ant_case("error-within-call", "An error after a call that looks whole: it is not run.",
    [A, tool(0), json_delta(0, '{"path":"a"}'), stop(0), ant({"type": "error", "error": {"type": "api_error", "message": "Lost"}})],
    err("provider_error", True, usage=(11, 1), contains="Lost"))
ant_case("json-error-as-event-stream", "A bare JSON error under an event-stream type.",
    [dumps({"type": "error", "error": {"type": "authentication_error", "message": "No such key"}}).encode()],
    err("provider_error", False, contains="No such key"), framing="length")
ant_case("json-whole", "The whole message as one JSON object.",
    [dumps({"id": "msg_r1", "type": "message", "role": "assistant", "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "All at once."},
        {"type": "tool_use", "id": "toolu_r1", "name": "now", "input": {}},
        {"type": "tool_use", "id": "toolu_r2", "name": "read_file", "input": {"path": "a"}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 11, "output_tokens": 7}}).encode()],
    ok("All at once.", "Hm.", calls=[call("toolu_r1", "now", {}, "{}"), call("toolu_r2", "read_file", {"path": "a"}, '{"path":"a"}')],
       finish="tool_calls", usage=(11, 7), thinking_blocks=[{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]),
    ctype="application/json", framing="length")
ant_case("bad-json", "A delta whose data is no JSON: never skipped.",
    [A, blk(0, TEXT), text_delta(0, "Half"), b"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\n\n", text_delta(0, "more"), MSTOP],
    err("bad_json", True, "Half", usage=(11, 1)))
ant_case("gzip", "The body is compressed, whatever the request asked for.", said("Packed ", "tight."), ok("Packed tight.", usage=(11, 7)), gz=True)
ant_case("crlf", "Lines end in CRLF.", [p.replace(b"\n", b"\r\n") for p in said("Carriage ", "returned.")], ok("Carriage returned.", usage=(11, 7)))
ant_case("cr-only", "Lines end in CR alone.", [p.replace(b"\n", b"\r") for p in said("Carriage ", "returned.")], ok("Carriage returned.", usage=(11, 7)))
ant_case("bom", "A byte order mark before the first event.", [b"\xef\xbb\xbf"] + said("Marked."), ok("Marked.", usage=(11, 7)))
ant_case("eof-within-event", "The body ends inside an event.", [A, blk(0, TEXT), text_delta(0, "Half"), text_delta(0, "more")[:-12]],
    err("truncated_stream", True, "Half", usage=(11, 1)))
ant_case("stop-then-held-open", "message_stop on a connection that stays open: not awaited.", said("Fast."), ok("Fast.", usage=(11, 7)),
    end="hold", hold_ms=9000)

C.clean()
print(len(C.names), "cases")
