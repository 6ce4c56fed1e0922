/** Tools of other agents by ours. The first of `claude` is the usual name; `copilot` has the single tools and the
 *  groups of Copilot and opencode. */
interface ForeignNames {
  readonly claude: readonly string[];
  readonly copilot: readonly string[];
}

const names = (claude: string, copilot: string): ForeignNames => ({
  claude: claude.split(' '),
  copilot: copilot.split(' '),
});

export const foreignNames: Readonly<Record<string, ForeignNames>> = {
  run_command: names('Bash', 'bash execute runCommands runInTerminal shell terminal powershell'),
  command_output: names('BashOutput', 'execute runCommands shell'),
  stop_command: names('KillShell', 'execute runCommands shell'),
  read_file: names('Read', 'view read readFile'),
  write_file: names('Write', 'create edit write createFile editFiles'),
  edit_file: names('Edit MultiEdit', 'edit editFiles patch'),
  // A patch changes files, so that a guard of edits has to see it.
  apply_patch: names('Edit Write MultiEdit', 'edit editFiles patch'),
  edit_notebook: names('NotebookEdit', 'edit editFiles'),
  search_files: names('Grep', 'grep search textSearch'),
  glob_files: names('Glob', 'glob search fileSearch'),
  list_directory: names('LS', 'view read search list listDirectory'),
  diagnostics: names('LSP', 'read problems'),
  find_references: names('LSP', 'search usages'),
  go_to_definition: names('LSP', 'search usages'),
  fetch_url: names('WebFetch', 'web_fetch web fetch webfetch'),
  todo_write: names('TodoWrite', 'update_todo todo todos todowrite'),
  delegate_task: names('Agent Task', 'task agent runSubagent'),
  read_skill: names('Skill', 'skill'),
  exit_plan_mode: names('ExitPlanMode', 'exit_plan_mode'),
};

/** Our tools that a list of another agent's means, and the words in it that mean none of `available`. */
export function meantTools(
  written: readonly string[],
  available: readonly string[],
): { readonly names: ReadonlySet<string>; readonly unknown: readonly string[] } {
  const meant = written.map((word) => ({ word, tools: available.filter((name) => means(word, name)) }));
  return {
    names: new Set(meant.flatMap(({ tools }) => tools)),
    unknown: meant.filter(({ tools }) => tools.length === 0).map(({ word }) => word),
  };
}

function means(written: string, name: string): boolean {
  // `Bash(git:*)` grants nothing here, so it only names the tool.
  const word = written.replace(/\(.*$/s, '').trim();
  if (word === '*' || word === name) return true;
  const { claude, copilot } = (Object.hasOwn(foreignNames, name) ? foreignNames[name] : undefined) ?? names('', '');
  if (claude.includes(word) || copilot.includes(word)) return true;
  const server = /^mcp__(.+?)(?:__(.+))?$/.exec(word) ?? /^([^/]+)\/(.+)$/.exec(word);
  if (server === null || !name.startsWith('mcp_')) return false;
  const [, from = '', tool = '*'] = server;
  return tool === '*' ? name.startsWith(`mcp_${from}_`) : name === `mcp_${from}_${tool}`;
}
