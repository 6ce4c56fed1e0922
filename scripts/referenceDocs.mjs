/**
 * Writes docs/commands.md and docs/settings.md from package.json and package.nls.json: `npm run docs`. A unit test
 * fails while they differ.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What each command does, by group, in the order of the page. */
const groups = [
  {
    title: 'Start and switch sessions',
    commands: {
      newSession: 'Starts an empty chat. The session that was shown stays in the list.',
      newPrivateSession: 'Starts a chat that no memory provider is told about and no other extension can read.',
      resetSession:
        'With `/reset`: ends the session that is shown and starts an empty chat. The ended session stays in the list.',
      resumeSession: 'Lists sessions, newest first. Type to search titles, first prompts and all messages.',
      openSessionInTab:
        'Opens a session in an editor tab, so that chats can stand side by side. Each has its own agent.',
      branchSession:
        'Copies the whole session, so that you can continue in another direction. The original does not change.',
      branchFromHere: 'Copies the session up to a message.',
      otherFolders: 'Lists sessions of other folders on this machine, to read them or to bring them over.',
      import: 'Asks what to import, and from where.',
      importSessions:
        'Lists sessions of other agents on this machine, and copies those that you choose. Files can be dropped ' +
        'on the sessions view too.',
      openHistoryFile:
        'Shows the sessions of a file, such as a `state.db` or a session of another agent, without importing them.',
      keepImporting: 'Keeps importing what other agents write about the open folders, from now on.',
      stopImporting: 'Ends that. What was imported stays.',
      showRescuedSessions: 'Lists the sessions that are kept, and those that their agents have deleted since.',
    },
  },
  {
    title: 'Work in a session',
    commands: {
      focusChat: 'Moves the keyboard to the composer.',
      stop: 'Stops the answer. What you have seen stays.',
      retry: 'Asks the last prompt again. The earlier answer stays in the transcript.',
      rewindToHere: 'Takes a prompt and everything after it back into the composer. Nothing is deleted.',
      compressSession: 'Replaces earlier messages with a summary for the model. Shows first what that saves.',
      findInConversation: 'Finds words in the whole conversation, including parts that are not loaded.',
      searchSessions: 'Opens a tab that searches every message of this folder.',
      review: 'Asks which changes to review.',
      reviewChanges: 'Shows all files that the last turn with changes changed, in one diff editor.',
      reviewSessionChanges: 'Shows all files that the session changed, in one diff editor.',
      reviewChangesOfTurns: 'Shows what the turns that you select changed together, in one diff editor.',
      nextChange: 'Goes to the next change to review, through all files.',
      previousChange: 'Goes to the previous change to review, through all files.',
      keepChange: 'Keeps the change at the cursor: it no longer counts as a change to review.',
      undoChange: 'Undoes the change at the cursor. The editor’s own undo brings it back.',
      undoRevert: 'Brings back what the last revert of the session replaced.',
      runningCommands: 'Lists commands that still run in the background. In the palette while there are any.',
    },
  },
  {
    title: 'Manage sessions',
    commands: {
      renameSession: 'Changes the title.',
      pinSession: 'Keeps the session at the top of the list.',
      unpinSession: 'Moves it back to its place.',
      archiveSession: 'Moves the session to the archive group.',
      unarchiveSession: 'Moves it back.',
      deleteSession: 'Moves the session to the trash, with Undo. It is erased after `hermes.trash.days`.',
      restoreSession: 'In the menu of the sessions view: takes a session out of the trash.',
      forgetSession:
        'Erases a session now and for good, also at memory providers that can do so. Says first what stays out ' +
        'of reach.',
      export: 'Asks which sessions to export.',
      exportSession:
        'Writes the sessions to a file: JSON, Markdown, HTML, OpenAI JSONL or a database of Hermes Agent. ' +
        'Secrets are masked unless you choose otherwise.',
      exportAllSessions: 'The same with every session of this folder.',
      storageAndHistory: 'Asks what to do with the stored sessions: measure, back up, sync, check, erase.',
      backUpNow: 'Makes a backup of all sessions of this folder, also during an answer.',
      restoreFromBackup:
        'Lists the backups with their sessions. Brings chosen sessions back, or puts a whole backup in place of ' +
        'the present sessions. These are backed up first.',
      showStorageUse: 'Shows what takes the space, by session, and removes sessions that were not used for long.',
    },
  },
  {
    title: 'Look at what is stored',
    commands: {
      openTranscript: 'Opens every stored row of the session in a tab.',
      checkAndRepair: 'Asks what to check.',
      verifySession: 'Compares what the chat showed you with what is on disk.',
      checkSessions:
        'Finds damaged transcripts in this folder or in a database of Hermes Agent, and repairs those of this ' +
        'folder.',
      pullThePlug:
        'Kills the extension host in the middle of a scripted answer, after asking, and shows what is still there.',
    },
  },
  {
    title: 'Ask about code',
    commands: {
      askAboutSelection: 'Puts the selected code into the composer. Nothing is sent until you send it.',
      explainSelection: 'In the editor menu: the same, with a question that asks for an explanation.',
      fixSelection:
        'In the editor menu: the same, with a question that asks for a fix. Also offered on problems as ' +
        '*Fix with Hermes*.',
      askAboutFile: 'In the Explorer menu: adds the file to the composer.',
      askAboutFolder: 'In the Explorer menu: adds the folder to the composer.',
      askAboutTerminalSelection: 'In the terminal menu: adds the selected output to the composer.',
    },
  },
  {
    title: 'Set up',
    commands: {
      getStarted: 'Opens the walkthrough.',
      tryDemo: 'Chooses Demo, which answers from a script, offline. In the empty chat until a model is chosen.',
      setUpModel: 'Leads through choosing a model, with a key or a server where one is needed.',
      selectModel: 'Chooses the model of the session.',
      chooseAgent: 'Chooses who answers: Hermes, or an agent of another maker. Shows what would be installed first.',
      setUpMemory: 'Chooses built-in memory, a Hindsight server (after saying what is sent there), or none.',
      setUpSync: 'Shares the sessions of this folder with other machines through your own PostgreSQL server.',
      syncStatus: 'Shows what is on the server and which machines share it. Syncs now, or turns sync off.',
      openMemory: 'Shows the files of the built-in memory.',
      manageApprovals: 'Lists what the agent may do without asking. Rules can be removed.',
      manageMcpServers:
        'Lists MCP servers with their state, where they run and what they offer. Adds servers, after testing them.',
      openSettings: 'Opens the settings of Hermes.',
      readHere:
        'Lists every file for agents that was found: how it is used, its size in tokens, what it may do, and why ' +
        'some are not used.',
      reviewHooks: 'In the menu of the chat: lists hooks by file, to trust them or to stop trusting them.',
      showLog: 'Opens the log, which also names the file that holds your sessions.',
    },
  },
];

/** Commands of menus and views that the palette does not offer by themselves. */
const inMenusOnly = [
  'openSession',
  'openOtherSession',
  'exportOtherSession',
  'bringOverSession',
  'bringOverFolder',
  'renameSelectedSession',
  'deleteSelectedSessions',
  'filterSessions',
  'clearSessionsFilter',
  'refreshSessions',
];

/** Commands whose keys work in the sessions view alone, where a command of its own has them. */
const keyedInSessionsView = { renameSession: 'renameSelectedSession', deleteSession: 'deleteSelectedSessions' };

const slashCommands = [
  ['/new', 'Starts an empty chat.'],
  ['/reset', 'Ends this session and starts an empty chat.'],
  ['/resume', 'Lists sessions; with a number, an id or a title it opens that session at once.'],
  ['/branch', 'Branches the session. A title can follow.'],
  ['/undo', 'Takes back the last turn, or as many turns as the number that follows.'],
  ['/retry', 'Asks the last prompt again.'],
  ['/compress', 'Compresses the session. What the summary should keep can follow.'],
  ['/title', 'Renames the session to the text that follows.'],
  ['/search', 'Searches all sessions, for the words that follow.'],
  ['/model', 'Lists models.'],
  ['/memory', 'Opens the memory.'],
  ['/queue', 'Queues the text that follows while an answer is being written.'],
  ['/steer', 'Tells the running turn the text that follows.'],
  ['/stop', 'Stops the answer.'],
  ['/export', 'Exports the session.'],
  ['/help', 'Lists these commands.'],
];

/** Commands that the palette offers inside another one: the name of that one → theirs. */
export function choicesIn(root) {
  const source = fs.readFileSync(path.join(root, 'src/host/navigation/choiceCommands.ts'), 'utf8');
  const found = [...source.matchAll(/choose\('(\w+)', \[([^\]]*)\]/g)];
  return new Map(found.map(([, holder, list]) => [holder, [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name)]));
}

/** Throws where a contributed command is not described, or a described one is not contributed. */
export function commandsPage(manifest, texts, choices) {
  const { commands, keybindings } = manifest.contributes;
  const known = new Map(commands.map(({ command, title }) => [command.replace(/^hermes\./, ''), textOf(title, texts)]));
  const described = [...groups.flatMap((group) => Object.keys(group.commands)), ...inMenusOnly];
  const wrong = [
    ...[...known.keys()].filter((name) => !described.includes(name)),
    ...described.filter((name) => !known.has(name)),
  ];
  if (wrong.length > 0)
    throw new Error(`scripts/referenceDocs.mjs and package.json do not have the same commands: ${wrong.join(', ')}`);
  const keysOf = (name) =>
    [
      ...new Set(
        keybindings
          .filter(({ command }) => command === `hermes.${keyedInSessionsView[name] ?? name}`)
          .map((binding) => `${keyText(binding)}${name in keyedInSessionsView ? ' in the sessions view' : ''}`),
      ),
    ].join(', ');
  const nameIn = (group, name) => {
    const holders = [...choices.keys()].filter((each) => choices.get(each).includes(name));
    const holder = holders.find((each) => each in group) ?? holders[0];
    return [...(holder === undefined ? [] : [holder]), name].map((each) => known.get(each)).join(' › ');
  };
  const sections = groups.map(({ title, commands: group }) => {
    const rows = Object.entries(group).map(([name, text]) => `| ${nameIn(group, name)} | ${keysOf(name)} | ${text} |`);
    return `## ${title}\n\n| Command | Keys | |\n|---|---|---|\n${rows.join('\n')}`;
  });
  const slashes = slashCommands.map(([name, text]) => `| \`${name}\` | ${text} |`);
  return [
    '# Commands',
    'Commands are in the Command Palette under *Hermes*, as long as they can do something: most of those for a ' +
      'session appear once the chat shows one. They act on the session that is shown, or ask which one you mean. ' +
      '*Export… › Export Session…* is a choice in *Export…*; a keyboard shortcut can run it directly.',
    ...sections,
    '## Slash commands\n\nType `/` in the composer. Prompt files of the project and ' +
      '[prompts of MCP servers](mcp.md#prompts) are listed there too.\n\n| ' +
      `Command | |\n|---|---|\n${slashes.join('\n')}`,
    '<!-- Written by `npm run docs` from package.json. -->\n',
  ].join('\n\n');
}

export function settingsPage(manifest, texts) {
  const sections = manifest.contributes.configuration.map(({ title, properties }) => {
    const entries = Object.entries(properties)
      .filter(([, { deprecationMessage }]) => deprecationMessage === undefined)
      .map(([name, setting]) => settingText(name, setting, texts));
    return `## ${textOf(title, texts)}\n\n${entries.join('\n\n')}`;
  });
  return [
    '# Settings',
    'Settings that name models, endpoints, memory or storage, that allow or deny something, or that say when ' +
      'sessions are erased, count only in your user settings. A repository cannot set them; values in a workspace ' +
      'are ignored, and the panel says so. Keys never go into settings.',
    ...sections,
    '<!-- Written by `npm run docs` from package.json and package.nls.json. -->\n',
  ].join('\n\n');
}

function settingText(name, setting, texts) {
  const choices = (setting.enum ?? []).map((value, index) => {
    const text = textOf(setting.markdownEnumDescriptions?.[index] ?? setting.enumDescriptions?.[index] ?? '', texts);
    return `- \`${value}\`${text === '' ? '' : `: ${text}`}`;
  });
  const heading = `### \`${name}\`\n\nDefault: \`${JSON.stringify(setting.default)}\``;
  return [
    heading,
    plain(textOf(setting.markdownDescription ?? setting.description ?? '', texts)),
    ...(choices.length > 0 ? [choices.map(plain).join('\n')] : []),
  ].join('\n\n');
}

/** Links that only the settings editor can follow become their text. */
function plain(text) {
  return text.replace(/\[([^\]]+)\]\(command:[^)]+\)/g, '*$1*').replace(/`#([\w.]+)#`/g, '`$1`');
}

function textOf(text, texts) {
  return texts[/^%(.+)%$/.exec(text)?.[1] ?? ''] ?? text;
}

function keyText({ key, mac }) {
  const shown = (keys) =>
    keys
      .split(' ')
      .map(
        (part) =>
          `\`${part
            .split('+')
            .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
            .join('+')}\``,
      )
      .join(' ');
  return mac === undefined || mac === key ? shown(key) : `${shown(key)} (Mac: ${shown(mac)})`;
}

/** The pages by their path from the root. */
export function referencePages(root) {
  const read = (name) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
  const [manifest, texts] = [read('package.json'), read('package.nls.json')];
  return {
    'docs/commands.md': commandsPage(manifest, texts, choicesIn(root)),
    'docs/settings.md': settingsPage(manifest, texts),
  };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  for (const [name, text] of Object.entries(referencePages(root))) fs.writeFileSync(path.join(root, name), text);
}
