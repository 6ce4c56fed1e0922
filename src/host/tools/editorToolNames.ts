/** Tools of `vscode.lm` that the agent does not use, with the reason. The editor does not report what a tool needs. */
const leftOut: readonly { readonly names: RegExp; readonly why: string }[] = [
  { names: /^hermes_/, why: 'our own' },
  {
    names: /^copilot_/,
    why:
      'made for Copilot’s own turns: they read its prompt and edit through its chat; the agent has its own for all ' +
      'of them',
  },
  { names: /_internal$/, why: 'parts of the editor’s own chat, which need the invocation token of a chat request' },
  {
    names:
      /^(?:vscode_)?(?:editFile|get_confirmation|get_terminal_confirmation|get_task_confirmation|manage_todo_list|runSubagent|askQuestions|confirmation)/i,
    why: 'they act on the editor’s chat session, which a call from outside does not have',
  },
  {
    names:
      /^(?:run_in_terminal|get_terminal_output|terminal_selection|terminal_last_command|create_and_run_task|run_task|get_task_output|kill_terminal|await_terminal)/i,
    why: 'they would run commands past the rules for commands',
  },
  {
    names: /^mcp_/,
    why: 'tools of MCP servers that the editor runs: the agent has its own client, with its own trust',
  },
];

export function isLeftOut(name: string): boolean {
  return leftOut.some(({ names }) => names.test(name));
}

/** Name under which models know the tool, in characters that every provider accepts. */
export function plainToolName(name: string): string {
  return `ext_${name.replace(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, 64);
}

/** Texts of a prompt-tsx tree, in order. The library defines its shape; texts are in `text`. */
export function textsIn(tree: unknown): readonly string[] {
  if (Array.isArray(tree)) return tree.flatMap(textsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) =>
    key === 'text' && typeof value === 'string' ? [value] : key === 'props' ? [] : textsIn(value),
  );
}
