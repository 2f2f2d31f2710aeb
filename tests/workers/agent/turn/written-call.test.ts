import { expect, test } from 'vitest';
import { writesCall } from '../../../../workers/agent/turn/written-call.ts';

test.each([
  ['Kimi', 'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{}'],
  ['Kimi, another template', '<|open|>toolscall tool="Shell" index="1"<|sep|>'],
  ['DeepSeek', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash'],
  ['Qwen', 'I check.\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>\n'],
  ['Qwen, with parameters', '<tool_call>\n<function=bash>\n<parameter=command>ls</parameter>\n</function>\n</tool_call>'],
  ['Claude', 'court\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>'],
  ['Mistral', '[TOOL_CALLS] [{"name": "bash", "arguments": {}}]'],
])('a call in the marks of %s is seen', (_who, text) => expect(writesCall(text)).toBe(true));

test.each([
  ['plain words', 'The tool call failed; I called bash again.'],
  ['marks in a block of code', 'Qwen writes:\n```\n<tool_call>\n{"name": "x"}\n</tool_call>\n```'],
  ['marks in a block that is still open', 'Like this:\n~~~xml\n<tool_call>\n{}\n</tool_call>'],
  ['marks in inline code', 'It sends `<|tool_call_begin|>` and `</tool_call>`'],
  ['a call in tags that is talked about', '<tool_call>{"name": "x"}</tool_call>\nis what the template gives, and here is why.'],
  ['other tags', 'The file holds\n<invoke>\n</invoke> elements'],
])('%s are not', (_what, text) => expect(writesCall(text)).toBe(false));
