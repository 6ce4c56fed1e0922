import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { McpHost } from '../../../../../src/features/mcp/host/mcpHost';
import type { SandboxState } from '../../../../../src/transcript/sandboxState';
import { aToolCall } from '../../../../support/toolCalls';
import { settle } from '../../../host/recordingPort';
import { manageServers } from '../../../../../src/features/mcp/host/manageServers';
import { editor } from './mcpEditor';
import { file, folder, kept, machine, offers, open, otherTools, secrets, started } from './mcpWorld';

vi.mock('vscode', () => import('./mcpEditor'));

function define(content: unknown): void {
  writeFileSync(file(), typeof content === 'string' ? content : JSON.stringify(content));
}

const names = async (from: McpHost): Promise<readonly string[]> =>
  (await from.tools(new AbortController().signal)).map(({ name }) => name);

describe('a server defined by a repository', () => {
  it('does not start before the user trusts it; the turn continues without it and does not wait for the answer', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'evil'] } } });
    expect(await names(open())).toEqual([]);
    expect(started()).toEqual([]);
    expect(editor.notifications).toEqual([expect.stringContaining('“repo”')]);
    // Asked once, not by every turn.
    const next = open();
    await names(next);
    await names(next);
    expect(editor.notifications.length).toBe(2);
    expect(started()).toEqual([]);
  });

  it('starts when the user trusts it, after the review showed what it runs; also in the next window', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'pkg'] } } });
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    expect(editor.questions).toEqual([
      {
        sentence: 'Trust the MCP server “repo”?',
        detail: expect.stringContaining('\n\nnpx -y pkg\n\n'),
        choices: ['Trust and Start'],
      },
    ]);
    first.dispose();
    expect(await names(open())).toEqual(['mcp_repo_x']);
    expect(editor.questions.length).toBe(1);
  });

  it('stays off if the user does not trust it in the dialog', async () => {
    define({ servers: { repo: { command: 'npx' } } });
    editor.answers = ['Review…', undefined];
    const first = open();
    await names(first);
    await settle();
    expect([await names(first), started(), kept.size]).toEqual([[], [], 0]);
  });

  it('needs another review if it changes after it was trusted', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'pkg'] } } });
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    define({ servers: { repo: { command: 'npx', args: ['-y', 'evil'] } } });
    editor.fire();
    await vi.waitFor(() => expect(first.servers.all).toEqual([]));
    expect(await names(first)).toEqual([]);
    expect(started().length).toBe(1);
    expect(first.all.map(({ isTrusted, hasChanged }) => [isTrusted, hasChanged])).toEqual([[false, true]]);
  });

  it('needs another review even if only its env file changes', async () => {
    define({ servers: { repo: { command: 'npx', envFile: '.env' } } });
    writeFileSync(join(folder, '.env'), 'A=1\n');
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    first.dispose();
    writeFileSync(join(folder, '.env'), 'NODE_OPTIONS=--require ./evil.js\n');
    expect(await names(open())).toEqual([]);
    expect(started().length).toBe(1);
  });

  it("cannot take the name of one of the user's own servers", async () => {
    editor.setting = { servers: { mine: { command: 'good' } } };
    define({ servers: { mine: { command: 'evil' } } });
    expect(await names(open())).toEqual(['mcp_mine_x']);
    expect(started().map(({ command }) => command)).toEqual(['good']);
    expect(offers.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('“mine” in')]);
  });
});

it("Restricted Mode has no servers, not even the user's own", async () => {
  editor.isTrusted = false;
  editor.setting = { servers: { mine: { command: 'good' } } };
  define({ servers: { repo: { command: 'npx' } } });
  const host = open();
  expect(await names(host)).toEqual([]);
  expect([started(), host.all, editor.notifications]).toEqual([[], [], []]);
});

it('a password is asked for once, kept as a secret of this definition, and asked for again if the definition changes', async () => {
  const setting = (url: string) => ({
    servers: { web: { url, headers: { Authorization: 'Bearer ${input:key}' } } },
    inputs: [{ id: 'key', type: 'promptString', password: true }],
  });
  editor.setting = setting('https://good.example/mcp');
  editor.answers = ['pass-1'];
  for (const window of [1, 2]) {
    const host = open();
    await names(host);
    host.dispose();
    expect(started().length).toBe(window);
  }
  expect(started().map(({ headers }) => headers?.Authorization)).toEqual(['Bearer pass-1', 'Bearer pass-1']);
  expect([[...secrets.values()], JSON.stringify([...kept]).includes('pass-1')]).toEqual([['pass-1'], false]);
  editor.setting = setting('https://elsewhere.example/mcp');
  expect(await names(open())).toEqual([]);
  expect(started().length).toBe(2);
  expect(offers.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('The input “key” was not given')]);
});

it('a broken file is named, and the servers of the settings still work', async () => {
  editor.setting = { servers: { mine: { command: 'good' } } };
  define('{ "servers": ');
  expect(await names(open())).toEqual(['mcp_mine_x']);
  expect(offers).toEqual([
    {
      sentence: expect.stringContaining('.vscode/mcp.json cannot be read'),
      choices: [expect.objectContaining({ label: 'Open' })],
    },
  ]);
});

describe('the sandbox', () => {
  const missing: SandboxState = {
    kind: 'missing',
    reason: 'bubblewrap (bwrap) not installed',
    remedy: 'Install bubblewrap.',
  };
  const repo = (over: object = {}) => define({ servers: { repo: { command: 'sh', args: ['a b'], ...over } } });

  /** Opens a window in which the review is answered so, and waits for what comes of it. */
  async function reviewed(answer: string): Promise<McpHost> {
    editor.answers = ['Review…', answer];
    const opened = open();
    await names(opened);
    await vi.waitFor(() => expect(opened.all.map(({ isTrusted }) => isTrusted)).toEqual([true]));
    await names(opened);
    await settle();
    return opened;
  }
  const where = (): readonly (string | undefined)[] => started().map(({ command }) => command);
  const sentences = (from: McpHost): readonly string[] =>
    from.servers.all.flatMap(({ state }) => (state.kind === 'failed' ? [state.sentence] : []));

  it("holds a folder's server, with the hosts that the review showed", async () => {
    repo({
      sandbox: { network: { allowedDomains: ['api.example.com'] }, filesystem: { allowWrite: ['~/elsewhere'] } },
    });
    await reviewed('Trust and Start');
    expect(editor.questions).toEqual([
      {
        sentence: 'Trust the MCP server “repo”?',
        choices: ['Trust and Start'],
        detail:
          'It runs this program on your machine:\n\nsh "a b"\n\nRuns in the sandbox: it can change files ' +
          'in the open folders, and can’t read your keys. It can connect to these hosts: api.example.com. ' +
          'Ignored sandbox settings in its definition: filesystem.allowWrite: ~/elsewhere.\n\nDefined in ' +
          '.vscode/mcp.json. Hermes asks again if the definition changes.',
      },
    ]);
    expect([where(), machine.confined]).toEqual([
      ['confined'],
      [
        {
          command: "exec 'sh' 'a b'",
          hosts: ['api.example.com'],
          folder,
          denyRead: [],
          denyWrite: [],
          aside: expect.stringMatching(/storage\/taken-out\/\w+$/),
        },
      ],
    ]);
  });

  it('does not hold a server whose definition opts out, after the user has seen and chosen that', async () => {
    repo({ sandboxEnabled: false });
    await reviewed('Trust and Run Without the Sandbox');
    expect(editor.questions).toEqual([
      expect.objectContaining({
        detail: expect.stringContaining('Not in the sandbox: set in its definition. Runs with your permissions.'),
        choices: ['Trust and Run in the Sandbox', 'Trust and Run Without the Sandbox'],
      }),
    ]);
    expect(where()).toEqual(['sh']);
  });

  it('holds a server that opts out if the user chose the sandbox instead, also in the next window', async () => {
    repo({ sandboxEnabled: false });
    (await reviewed('Trust and Run in the Sandbox')).dispose();
    await names(open());
    expect([where(), editor.questions.length]).toEqual([['confined', 'confined'], 1]);
  });

  it('needs another review if the definition changes what it says about the sandbox', async () => {
    repo();
    (await reviewed('Trust and Start')).dispose();
    repo({ sandboxEnabled: false });
    const next = open();
    expect(await names(next)).toEqual([]);
    expect([where(), next.all.map(({ hasChanged }) => hasChanged)]).toEqual([['confined'], [true]]);
  });

  it('if missing, is reported in the review with what helps; the server then runs without it', async () => {
    machine.sandbox = missing;
    repo();
    await reviewed('Trust and Start');
    expect(editor.questions[0]?.detail).toContain(
      'Not in the sandbox: bubblewrap (bwrap) not installed. Runs with your permissions. Install bubblewrap.',
    );
    expect(where()).toEqual(['sh']);
  });

  it('if lost after a server was trusted in it, keeps the server from starting, and says what can be done', async () => {
    repo();
    (await reviewed('Trust and Start')).dispose();
    machine.sandbox = missing;
    const next = open();
    expect(await names(next)).toEqual([]);
    expect([where(), sentences(next)]).toEqual([
      ['confined'],
      [
        'You trusted it to run in the sandbox, and there is none: bubblewrap (bwrap) not installed. ' +
          'Install bubblewrap. Or choose Run Without the Sandbox under Manage MCP Servers…',
      ],
    ]);
  });

  it('if it fails while a server starts, keeps the server from starting', async () => {
    machine.refusal = 'its helper has ended';
    repo();
    const opened = await reviewed('Trust and Start');
    expect([where(), sentences(opened)]).toEqual([
      [],
      [expect.stringContaining('The sandbox does not hold it, so it was not started: its helper has ended.')],
    ]);
  });

  it("if required, keeps a folder's server from starting without it, whatever the user chose before", async () => {
    machine.sandbox = missing;
    repo();
    (await reviewed('Trust and Start')).dispose();
    machine.isRequired = true;
    const next = open();
    expect([await names(next), where(), sentences(next)]).toEqual([
      [],
      ['sh'],
      [
        'Only servers in the sandbox may run here (hermes.terminal.sandbox), and there is none: ' +
          'bubblewrap (bwrap) not installed. Install bubblewrap.',
      ],
    ]);
  });

  it('if required, is the only way to trust a server whose definition opts out', async () => {
    machine.isRequired = true;
    repo({ sandboxEnabled: false });
    await reviewed('Trust and Run in the Sandbox');
    expect(editor.questions).toEqual([expect.objectContaining({ choices: ['Trust and Run in the Sandbox'] })]);
    expect(where()).toEqual(['confined']);
  });

  it('takes in a server trusted before the sandbox existed, without a question, and lets it run if there is no sandbox', async () => {
    repo();
    (await reviewed('Trust and Start')).dispose();
    const [id, { fingerprint }] = Object.entries(
      kept.get('mcp.trusted') as Record<string, { readonly fingerprint: string }>,
    )[0] ?? ['', { fingerprint: '' }];
    kept.set('mcp.trusted', { [id]: fingerprint });
    const inIt = open();
    await names(inIt);
    inIt.dispose();
    machine.sandbox = missing;
    await names(open());
    expect([where(), editor.questions.length]).toEqual([['confined', 'confined', 'sh'], 1]);
  });

  it("does not hold the user's own servers unless they request it", async () => {
    editor.setting = { servers: { plain: { command: 'plain' }, held: { command: 'sh', sandboxEnabled: true } } };
    expect(await names(open())).toEqual(['mcp_plain_x', 'mcp_held_x']);
    expect([where(), machine.confined.map(({ command }) => command)]).toEqual([['plain', 'confined'], ["exec 'sh'"]]);
  });

  it('is shown for each server in the list, and chosen there: running without it only after a question', async () => {
    repo();
    const opened = await reviewed('Trust and Start');
    const manage = () => manageServers(opened);
    if (manage === undefined) throw new Error('no command');
    editor.answers = ['repo', 'Run Without the Sandbox…', undefined];
    await manage();
    expect([
      editor.lists[0]?.slice(0, 1).map(({ description }) => description),
      editor.lists[1]?.map(({ label }) => label),
    ]).toEqual([
      ['running · 1 tool · in the sandbox'],
      ['Restart', 'Stop', 'Choose Tools…', 'Run Without the Sandbox…', 'Show Log', 'Open Definition', 'Forget'],
    ]);
    expect(where()).toEqual(['confined']);
    editor.answers = ['repo', 'Run Without the Sandbox…', 'Run Without the Sandbox'];
    await manage();
    await vi.waitFor(() => expect(where()).toEqual(['confined', 'sh']));
    expect(editor.questions.slice(1)).toEqual(
      Array.from({ length: 2 }, () => ({
        sentence: 'Run the MCP server “repo” without the sandbox?',
        detail: expect.stringMatching(/^sh "a b"\n\nIt can read and change anything you can/),
        choices: ['Run Without the Sandbox'],
      })),
    );
    await vi.waitFor(() => expect(machine.ended).toBe(1));
    editor.lists = [];
    editor.answers = ['repo', 'Run in the Sandbox'];
    await manage();
    expect(editor.lists[0]?.slice(0, 1).map(({ description }) => description)).toEqual([
      'running · 1 tool · not in the sandbox: your choice',
    ]);
    await vi.waitFor(() => expect(where()).toEqual(['confined', 'sh', 'confined']));
  });

  it("chosen for a user's own server survives a changed definition; the choice to run without it does not", async () => {
    const own = (args: readonly string[], over: object) =>
      (editor.setting = { servers: { mine: { command: 'sh', args, ...over } } });
    const choose = async (from: McpHost, pick: string, starts: number): Promise<void> => {
      editor.answers = ['mine', pick, 'Run Without the Sandbox'];
      await manageServers(from);
      await vi.waitFor(() => expect(started()).toHaveLength(starts));
      from.dispose();
    };
    own(['1'], { sandboxEnabled: true });
    const first = open();
    await names(first);
    await choose(first, 'Run Without the Sandbox…', 2);
    own(['2'], { sandboxEnabled: true });
    const second = open();
    await names(second);
    second.dispose();
    own(['3'], {});
    const third = open();
    await names(third);
    await choose(third, 'Run in the Sandbox', 5);
    own(['4'], {});
    const fourth = open();
    await names(fourth);
    // It can be taken back.
    await choose(fourth, 'Forget', 6);
    await names(open());
    expect(where()).toEqual(['confined', 'sh', 'confined', 'sh', 'confined', 'confined', 'sh']);
  });

  it('says in the list what it blocked for a server; a blocked host can be allowed there', async () => {
    repo();
    const opened = await reviewed('Trust and Start');
    const manage = () => manageServers(opened);
    if (manage === undefined) throw new Error('no command');
    machine.stopped = ['connect to api.example.com', 'write to ~/x'];
    const [tool] = await opened.tools(new AbortController().signal);
    const bound = tool?.bind({});
    if (bound?.kind !== 'ready') throw new Error('no tool');
    const { text } = await bound.run(new AbortController().signal, aToolCall());
    expect(text).toContain('The sandbox kept the server from this: connect to api.example.com; write to ~/x.');
    editor.answers = ['repo', 'Allow It to Connect to api.example.com'];
    await manage();
    expect(editor.lists[0]?.slice(0, 1).map(({ description }) => description)).toEqual([
      'running · 1 tool · in the sandbox · blocked by the sandbox: connect to api.example.com; write to ~/x',
    ]);
    await vi.waitFor(() => expect(machine.confined.map(({ hosts }) => hosts)).toEqual([[], ['api.example.com']]));
  });
});

describe('files of other agents', () => {
  const inHome = (name: string, servers: object): void => {
    const path = join(folder, 'home', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify({ mcpServers: servers }));
  };

  it('in a folder need the same trust as its mcp.json, whose servers come first', async () => {
    define({ servers: { one: { command: 'npx', args: ['own'] } } });
    const servers = { one: { command: 'npx', args: ['other'] }, two: { command: 'npx', env: { A: '${HOME}' } } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
    const host = open();
    const offered = await names(host);
    const known = host.all.map(({ definition }) => [definition.name, definition.source, definition.transport]);
    expect([offered, started(), known]).toEqual([
      [],
      [],
      [
        ['one', { kind: 'folder', folder, file: '.vscode/mcp.json' }, expect.objectContaining({ args: ['own'] })],
        ['two', { kind: 'folder', folder, file: '.mcp.json' }, expect.objectContaining({ env: { A: '${env:HOME}' } })],
      ],
    ]);
  });

  it('in the home are offered once per workspace, start nothing, and run when they are trusted', async () => {
    inHome('.claude.json', { notes: { command: 'npx', args: ['${NOT_SET_HERE:-notes}'] } });
    inHome('.copilot/mcp-config.json', { shop: { type: 'local', command: 'npx' }, notes: { command: 'evil' } });
    const [first, second] = [open(), open()];
    await names(first);
    await settle();
    await names(second);
    await settle();
    expect([editor.notifications, started()]).toEqual([[expect.stringContaining('“notes”, “shop”')], []]);
    editor.answers = ['notes', 'Review and Trust…', 'Trust and Start'];
    await manageServers(second);
    await vi.waitFor(async () => expect(await names(second)).toEqual(['mcp_notes_x']));
    expect([started()[0]?.args, editor.questions[0]?.detail]).toEqual([
      [expect.stringContaining("'notes'")],
      expect.stringContaining('Defined in ~/.claude.json'),
    ]);
  });

  it('that cannot be read say nothing here', async () => {
    mkdirSync(join(folder, 'home'), { recursive: true });
    writeFileSync(join(folder, 'home', '.claude.json'), '{ broken');
    mkdirSync(join(folder, 'home', '.codex'));
    writeFileSync(join(folder, 'home', '.codex', 'config.toml'), '[mcp_servers.x');
    await names(open());
    expect([editor.notifications, offers]).toEqual([[], []]);
  });

  it('of Codex are TOML, with fields of their own for variables', async () => {
    mkdirSync(join(folder, 'home', '.codex'), { recursive: true });
    const lines = [
      'model = "gpt-5"',
      '[mcp_servers.docs]\ncommand = "docs"\nargs = ["serve"]\nenv_vars = ["TOKEN", { name = "LOCAL" }]',
      '[mcp_servers.docs.env]\nLEVEL = "info"',
      '[mcp_servers.web]\nurl = "https://example.com/mcp"\nbearer_token_env_var = "WEB"',
      'http_headers = { "X-Team" = "core" }\nenv_http_headers = { "X-User" = "USERNAME" }',
      '[mcp_servers.off]\ncommand = "off"\nenabled = false',
    ];
    writeFileSync(join(folder, 'home', '.codex', 'config.toml'), lines.join('\n'));
    const host = open();
    await names(host);
    await settle();
    expect([
      editor.notifications,
      started(),
      host.all.map(({ definition: { name, transport } }) => [name, transport]),
    ]).toEqual([
      [expect.stringContaining('“docs”, “web”')],
      [],
      [
        [
          'docs',
          expect.objectContaining({
            command: 'docs',
            args: ['serve'],
            env: { TOKEN: '${env:TOKEN}', LOCAL: '${env:LOCAL}', LEVEL: 'info' },
          }),
        ],
        [
          'web',
          {
            kind: 'http',
            url: 'https://example.com/mcp',
            headers: { 'X-Team': 'core', 'X-User': '${env:USERNAME}', Authorization: 'Bearer ${env:WEB}' },
          },
        ],
      ],
    ]);
  });
});

describe('tools of a server', () => {
  it('are switched off one by one, also in the next window, and are not offered then', async () => {
    editor.setting = { servers: { own: { command: 'npx' } } };
    const host = open();
    expect(await names(host)).toEqual(['mcp_own_x']);
    editor.answers = ['own', 'Choose Tools…', ''];
    await manageServers(host);
    const [row] = editor.lists.at(-1) ?? [];
    expect([row?.label, row?.description, await names(host), await names(open())]).toEqual([
      'x',
      expect.stringMatching(/^about \d+ tokens$/),
      [],
      [],
    ]);
  });

  it('are too many for many models: the chat says so', async () => {
    editor.setting = { servers: { own: { command: 'npx' } } };
    otherTools.length = 128;
    await names(open());
    otherTools.length = 20;
    expect(offers.map(({ sentence }) => sentence)).toEqual([
      expect.stringContaining('The agent has 129 tools. Many models take at most 128'),
    ]);
  });
});

describe('a server that is handed over to another program', () => {
  const handed = async (host: McpHost, folderOf = folder) => {
    await host.settled();
    return host.handOver(
      host.all.map(({ id }) => id),
      folderOf,
      new AbortController().signal,
    );
  };

  it('has what its definition names, nothing else of our environment, and no sandbox of ours', async () => {
    process.env['OTHER_OF_OURS'] = 'ours';
    define({ servers: { repo: { command: 'npx', args: ['-y', 'pkg'], env: { TOKEN: 'its own' } } } });
    const host = open();
    expect(await handed(host)).toEqual([{ name: 'repo', problem: 'You have not trusted it as it is defined now.' }]);
    editor.answers = ['Review…', 'Trust and Start'];
    await names(host);
    await vi.waitFor(() => expect(host.all[0]?.isTrusted).toBe(true));
    expect(await handed(host)).toEqual([
      { kind: 'stdio', name: 'repo', command: 'npx', args: ['-y', 'pkg'], environment: { TOKEN: 'its own' } },
    ]);
    expect(await handed(host, '/elsewhere')).toEqual([
      { name: 'repo', problem: `It runs in another folder: ${folder}` },
    ]);
    machine.isRequired = true;
    expect(await handed(host)).toEqual([{ name: 'repo', problem: 'Your settings let it run in the sandbox only.' }]);
    delete process.env['OTHER_OF_OURS'];
  });
});
