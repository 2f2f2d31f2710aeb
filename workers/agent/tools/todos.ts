// create_todo, update_todo, list_todos: the session's own short list, in memory, cleared at each request. One item is in
// progress at a time, so that the list says what is being done now.
import { type Static, Type } from 'typebox';
import { defineTool, type Tool, type ToolResult, toolError } from './tool.ts';

const StateSchema = Type.Union([Type.Literal('pending'), Type.Literal('in_progress'), Type.Literal('completed')]);
export type TodoState = Static<typeof StateSchema>;

export interface Todo {
  readonly id: number;
  readonly text: string;
  readonly state: TodoState;
}

export interface Todos {
  list(): readonly Todo[];
  create(items: readonly string[]): void;
  /** Returns why it cannot be done, or undefined. */
  update(id: number, state: TodoState): string | undefined;
  /** At each new request. */
  clear(): void;
  /** Counts a round of the loop in which the list was not touched. */
  noteRound(): void;
  /** What the loop tells the model when the list was forgotten, or undefined. */
  reminder(): string | undefined;
}

/** Rounds without a look at the list after which the model is reminded of it. */
const REMIND_AFTER_ROUNDS = 6;

export function createTodos(): Todos {
  let todos: Todo[] = [];
  let quietRounds = 0;
  return {
    list: () => todos,
    create(items) {
      todos = items.map((text, at) => ({ id: at + 1, text, state: 'pending' }));
      quietRounds = 0;
    },
    update(id, state) {
      const todo = todos.find((item) => item.id === id);
      if (todo === undefined) return `there is no todo ${id}; ${todos.length === 0 ? 'the list is empty' : `ids are 1 to ${todos.length}`}`;
      const busy = todos.find((item) => item.state === 'in_progress' && item.id !== id);
      if (state === 'in_progress' && busy !== undefined) return `todo ${busy.id} is in progress; complete it or set it to pending first`;
      todos = todos.map((item) => (item.id === id ? { ...item, state } : item));
      quietRounds = 0;
      return undefined;
    },
    clear() {
      todos = [];
      quietRounds = 0;
    },
    noteRound() {
      quietRounds++;
    },
    reminder() {
      const open = todos.filter((item) => item.state !== 'completed');
      if (open.length === 0 || quietRounds < REMIND_AFTER_ROUNDS) return undefined;
      quietRounds = 0;
      return `Your todo list has not been updated for a while. Open: ${open.map((item) => `${item.id}. ${item.text} (${item.state})`).join('; ')}. Update it with update_todo, or finish what is left.`;
    },
  };
}

const MARKS: Readonly<Record<TodoState, string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' };

/** The list as the model reads it. */
function showTodos(todos: readonly Todo[]): string {
  return todos.length === 0 ? 'the todo list is empty' : todos.map((item) => `${item.id}. ${MARKS[item.state]} ${item.text}`).join('\n');
}

/** The three tools over one list. */
export function createTodoTools(todos: Todos): Tool[] {
  const answer = (): ToolResult => ({ text: showTodos(todos.list()), facts: { todos: todos.list() } });
  return [
    defineTool({
      name: 'create_todo',
      description:
        'Makes your todo list for the present request (it replaces the list before) and answers with ids 1 to n. Use it when the work has three or more steps; skip it for less.',
      parameters: Type.Object({ items: Type.Array(Type.String(), { description: 'Short steps, in order' }) }),
      readOnly: false,
      keyed: false,
      async run({ items }) {
        const texts = items.map((item) => item.trim()).filter((item) => item !== '');
        if (texts.length === 0) return toolError('create_todo: items is empty');
        todos.create(texts);
        return answer();
      },
    }),
    defineTool({
      name: 'update_todo',
      description: 'Sets the state of one todo. One is in progress at a time: set it before you start, complete it as soon as it is done.',
      parameters: Type.Object({ id: Type.Integer(), state: StateSchema }),
      readOnly: false,
      keyed: false,
      async run({ id, state }) {
        const problem = todos.update(id, state);
        return problem === undefined ? answer() : toolError(`update_todo: ${problem}`);
      },
    }),
    defineTool({
      name: 'list_todos',
      description: 'Shows your todo list.',
      parameters: Type.Object({}),
      readOnly: true,
      keyed: false,
      run: async () => answer(),
    }),
  ];
}
