// agent: a one-shot sub-agent for a question or an errand whose many steps need not fill this conversation.
import { Type } from 'typebox';
import { titleFromText } from '../../store/tasks/task.ts';
import { defineTool, toolError } from '../../workers/agent/tools/tool.ts';
import { type RunSubAgent, whyUnfinished } from './sub-agent.ts';

export function createAgentTool(runSubAgent: RunSubAgent) {
  return defineTool({
    name: 'agent',
    description:
      'Starts a sub-agent with a fresh context of its own, waits for it, and returns its final reply. ' +
      'Good for searches and errands that read much and answer little. It sees nothing of this conversation: ' +
      'say in the task all it needs and what exactly to report back. It works in the same folder, cannot ask you anything, and starts no agents itself.',
    parameters: Type.Object({
      task: Type.String({ minLength: 1, description: 'The whole request' }),
    }),
    readOnly: false,
    keyed: false,
    async run({ task }, { signal, origin }) {
      const end = await runSubAgent({ task, title: titleFromText(task), signal, origin });
      const why = whyUnfinished(end);
      if (why === undefined) return { text: end.text };
      return toolError(`The sub-agent did not finish: ${why}.${end.text === '' ? '' : ` Its last words:\n${end.text}`}`);
    },
  });
}
