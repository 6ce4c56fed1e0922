import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { setTranslations, translations } from '../../../../src/base/translate';
import { readSettings, type SettingSource } from '../../../../src/host/settings/settings';
import { isInRepository } from '../../../../src/host/settings/settingsWatcher';

const { contributes }: { contributes: { configuration: { properties: Record<string, { default?: unknown }> }[] } } =
  JSON.parse(readFileSync('package.json', 'utf8'));
const properties = Object.assign({}, ...contributes.configuration.map((group) => group.properties)) as Readonly<
  Record<string, { readonly default?: unknown }>
>;

/** The editor's configuration: what the user set, and what the workspace set on top. */
function configuration(
  user: Readonly<Record<string, unknown>>,
  workspace: Readonly<Record<string, unknown>> = {},
): SettingSource {
  return {
    get: (setting) => workspace[setting] ?? user[setting] ?? properties[setting]?.default,
    inspect: (setting) => ({ defaultValue: properties[setting]?.default, globalValue: user[setting] }),
  };
}

const local = { name: 'Local', protocol: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' };

/** Settings that nobody has set. */
const usual = {
  model: null,
  providers: [],
  reasoningEffort: 'default',
  busyInput: 'queue',
  mode: 'ask',
  approvals: { allow: [], deny: [], matchesPrefixes: false },
  checkpoints: true,
  notifications: 'whenHidden',
  personalFiles: ['hermes', 'claude', 'codex', 'copilot', 'opencode', 'agents'],
  maxIterations: 90,
  spendingLimit: 0,
  sessionTitles: 'model',
  compressionThreshold: 0.8,
  compressionModel: null,
  memoryProvider: 'builtin',
  hindsightUrl: null,
  hindsightBank: null,
  storagePath: null,
  terminalTimeoutSeconds: 120,
  sandbox: 'auto',
  trashDays: 30,
  backupsEnabled: true,
  backupsFolder: null,
};

describe('folders that a container’s settings name', () => {
  const inContainer = (path: string) => ({
    ...configuration({ 'hermes.storage.path': path, 'hermes.backups.folder': path }),
    isInRepository: isInRepository('dev-container', ['/workspaces/app', 'C:\\code']),
  });

  it.each(['/workspaces/app', '/workspaces/app/', '/workspaces/app/.x/store', '/workspaces/x/../app/store'])(
    'are not used inside an open folder: %s',
    (path) => {
      const { settings, problems } = readSettings(inContainer(path));
      expect([settings.storagePath, settings.backupsFolder, problems.map(({ sentence }) => sentence)]).toEqual([
        null,
        null,
        ['hermes.storage.path', 'hermes.backups.folder'].map(
          (name) =>
            `The setting \`${name}\` names a place in the open folder, which the repository can fill. ` +
            'The default is used until you fix it.',
        ),
      ]);
    },
  );

  it.each(['/data/hermes', '/workspaces', '/workspaces/app2', '/workspaces/..app'])(
    'are used elsewhere: %s',
    (path) => {
      expect(readSettings(inContainer(path))).toMatchObject({ settings: { storagePath: path }, problems: [] });
    },
  );

  it.each([undefined, 'ssh-remote', 'wsl', 'tunnel'])('are the user’s own in the remote %s', (remote) => {
    expect(isInRepository(remote, ['/workspaces/app'])('/workspaces/app/store')).toBe(false);
  });

  it.each(['dev-container', 'attached-container', 'codespaces'])(
    'may be the repository’s in the remote %s',
    (remote) => {
      expect(isInRepository(remote, ['/workspaces/app'])('/workspaces/app/store')).toBe(true);
    },
  );
});

describe('settings', () => {
  it('are the defaults when nothing is set', () => {
    expect(readSettings(configuration({}))).toEqual({ settings: usual, problems: [] });
  });

  it('are read as the user wrote them, without stray spaces', () => {
    const { settings, problems } = readSettings(
      configuration({
        'hermes.model': ' Local/qwen3:8b ',
        'hermes.providers': [{ ...local, models: [{ id: 'qwen3:8b', contextWindow: 32768, tools: true }] }],
        'hermes.reasoningEffort': 'high',
        'hermes.busyInput': 'steer',
        'hermes.mode': 'plan',
        'hermes.notifications': 'always',
        'hermes.personalFiles': ['codex'],
        'hermes.maxIterations': 5,
        'hermes.spendingLimit': 2.5,
        'hermes.sessionTitles': 'prompt',
        'hermes.compression.threshold': 0.5,
        'hermes.compression.model': ' Local/qwen3:1b ',
        'hermes.memory.provider': ' hindsight ',
        'hermes.memory.hindsight.url': ' http://127.0.0.1:8888 ',
        'hermes.memory.hindsight.bank': ' team ',
        'hermes.approvals.allow': ['run(npm test)'],
        'hermes.approvals.deny': ['run(git push *)'],
        'hermes.approvals.withoutSandbox': true,
        'hermes.storage.path': '/var/lib/hermes',
        'hermes.terminal.timeout': 20,
        'hermes.trash.days': 7,
        'hermes.backups.enabled': false,
        'hermes.backups.folder': ' /mnt/disk ',
      }),
    );
    expect({ settings, problems }).toEqual({
      settings: {
        ...usual,
        model: 'Local/qwen3:8b',
        providers: [{ ...local, models: [{ id: 'qwen3:8b', contextWindow: 32768, tools: true }] }],
        reasoningEffort: 'high',
        busyInput: 'steer',
        mode: 'plan',
        approvals: { allow: ['run(npm test)'], deny: ['run(git push *)'], matchesPrefixes: true },
        notifications: 'always',
        personalFiles: ['codex'],
        maxIterations: 5,
        spendingLimit: 2.5,
        sessionTitles: 'prompt',
        compressionThreshold: 0.5,
        compressionModel: 'Local/qwen3:1b',
        memoryProvider: 'hindsight',
        hindsightUrl: 'http://127.0.0.1:8888',
        hindsightBank: 'team',
        storagePath: '/var/lib/hermes',
        terminalTimeoutSeconds: 20,
        trashDays: 7,
        backupsEnabled: false,
        backupsFolder: '/mnt/disk',
      },
      problems: [],
    });
  });

  it('name every bad value in a sentence and continue with its default', () => {
    const bad = {
      'hermes.model': 'qwen',
      'hermes.providers': 'http://x',
      'hermes.reasoningEffort': 'extreme',
      'hermes.busyInput': 'shout',
      'hermes.personalFiles': ['cursor'],
      'hermes.maxIterations': 0,
      'hermes.spendingLimit': -1,
      'hermes.sessionTitles': 'mine',
      'hermes.compression.threshold': 2,
      'hermes.compression.model': 'qwen',
      'hermes.memory.provider': '',
      'hermes.storage.path': 'here',
      'hermes.terminal.timeout': 0,
      'hermes.trash.days': 0.5,
      'hermes.backups.enabled': 'hourly',
      'hermes.backups.folder': 'backups',
    };
    const { settings, problems } = readSettings(configuration(bad));
    expect(settings).toEqual(usual);
    expect(problems.map(({ sentence }) => /`([\w.]+)`/.exec(sentence)?.[1]).sort()).toEqual(Object.keys(bad).sort());
    expect(problems.map(({ sentence }) => sentence)).toContain(
      'The setting `hermes.reasoningEffort` is not one of default, none, low, medium, high. The ' +
        'default is used until you fix it.',
    );
  });

  it('keep the good providers next to a bad one', () => {
    const { settings, problems } = readSettings(
      configuration({
        'hermes.providers': [
          { name: 'Broken', protocol: 'openai', baseUrl: 'localhost:1234' },
          local,
          { ...local, baseUrl: 'http://127.0.0.1:1/v1' },
          7,
        ],
      }),
    );
    expect(settings.providers).toEqual([local]);
    expect(problems.map(({ sentence }) => sentence)).toEqual([
      'Entry 1 of the setting `hermes.providers` (“Broken”) is ignored: baseUrl is not a web address that begins with http:// or https://.',
      'Entry 3 of the setting `hermes.providers` (“Local”) is ignored: an earlier entry has the same name.',
      'Entry 4 of the setting `hermes.providers` is ignored: it is not an object with name, protocol, and baseUrl.',
    ]);
  });

  it('name each field of a provider that cannot be used', () => {
    const { problems } = readSettings(
      configuration({
        'hermes.providers': [
          { name: 'a/b', protocol: 'other' },
          { ...local, name: ' ', models: [{ id: 'one', contextWindow: 0 }] },
        ],
      }),
    );
    expect(problems.map(({ sentence }) => sentence)).toEqual([
      'Entry 1 of the setting `hermes.providers` (“a/b”) is ignored: name contains a slash; protocol ' +
        'is neither “openai” nor “anthropic”; baseUrl is missing.',
      'Entry 2 of the setting `hermes.providers` (“ ”) is ignored: name is empty; ' +
        'models.0.contextWindow can’t be used.',
    ]);
  });

  it('are reported in the language of the editor', () => {
    const [before, english] = [
      translations(),
      'The setting `{setting}` is not one of {values}. The default is used until you fix it.',
    ];
    setTranslations({ language: 'ja', texts: { [english]: '`{setting}` は {values} のいずれでもありません。' } });
    const { problems } = readSettings(configuration({ 'hermes.busyInput': 'later' }));
    setTranslations(before);
    expect(problems.map(({ sentence }) => sentence)).toEqual([
      '`hermes.busyInput` は queue、interrupt、steer のいずれでもありません。',
    ]);
  });

  it('that name endpoints, models or the storage folder never come from a workspace', () => {
    const { settings } = readSettings(
      configuration(
        { 'hermes.providers': [local], 'hermes.model': 'Local/qwen3:8b', 'hermes.approvals.deny': ['run(rm *)'] },
        {
          'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: 'https://collector.example/v1' }],
          'hermes.model': 'Collector/any',
          'hermes.storage.path': '/tmp/elsewhere',
          'hermes.approvals.allow': ['run(rm *)'],
          'hermes.approvals.deny': [],
          'hermes.trash.days': 1,
          'hermes.maxIterations': 3,
          'hermes.spendingLimit': 1000,
        },
      ),
    );
    expect(settings).toMatchObject({
      providers: [local],
      model: 'Local/qwen3:8b',
      approvals: { allow: [], deny: ['run(rm *)'], matchesPrefixes: false },
      storagePath: null,
      trashDays: 30,
      maxIterations: 3,
      spendingLimit: 0,
    });
  });
});
