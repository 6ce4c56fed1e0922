import { describe, expect, it } from 'vitest';
import { setTranslations, translations } from '../../../../src/base/translate';
import { readSettings, type SettingSource } from '../../../../src/host/settings/settings';

const defaults: Readonly<Record<string, unknown>> = {
  'hermes.model': '',
  'hermes.providers': [],
  'hermes.reasoningEffort': 'default',
  'hermes.busyInput': 'queue',
  'hermes.mode': 'ask',
  'hermes.checkpoints': true,
  'hermes.notifications': 'whenHidden',
  'hermes.personalFiles': ['hermes', 'claude', 'codex'],
  'hermes.continueAfterConnectionLoss': true,
  'hermes.maxIterations': 90,
  'hermes.spendingLimit': 0,
  'hermes.sessionTitles': 'model',
  'hermes.compression.threshold': 0.8,
  'hermes.compression.model': '',
  'hermes.memory.provider': 'builtin',
  'hermes.memory.recallTimeout': 2,
  'hermes.memory.hindsight.url': '',
  'hermes.memory.hindsight.bank': '',
  'hermes.storage.path': '',
  'hermes.terminal.timeout': 120,
  'hermes.terminal.sandbox': 'auto',
  'hermes.trash.days': 30,
  'hermes.rescue': false,
  'hermes.backups.enabled': true,
  'hermes.backups.folder': '',
  'hermes.backups.limitMB': 2048,
};

/** The editor's configuration: what the user set, and what the workspace set on top. */
function configuration(
  user: Readonly<Record<string, unknown>>,
  workspace: Readonly<Record<string, unknown>> = {},
): SettingSource {
  return {
    get: (setting) => workspace[setting] ?? user[setting] ?? defaults[setting],
    inspect: (setting) => ({ defaultValue: defaults[setting], globalValue: user[setting] }),
  };
}

const local = { name: 'Local', protocol: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' };

describe('settings', () => {
  it('are the defaults when nothing is set', () => {
    expect(readSettings(configuration({}))).toEqual({
      settings: {
        model: null,
        providers: [],
        reasoningEffort: 'default',
        busyInput: 'queue',
        mode: 'ask',
        approvals: { allow: [], deny: [] },
        checkpoints: true,
        notifications: 'whenHidden',
        personalFiles: ['hermes', 'claude', 'codex'],
        continueAfterConnectionLoss: true,
        maxIterations: 90,
        spendingLimit: 0,
        sessionTitles: 'model',
        compressionThreshold: 0.8,
        compressionModel: null,
        memoryProvider: 'builtin',
        memoryRecallTimeoutMs: 2000,
        hindsightUrl: null,
        hindsightBank: null,
        storagePath: null,
        terminalTimeoutSeconds: 120,
        sandbox: 'auto',
        trashDays: 30,
        rescue: false,
        backupsEnabled: true,
        backupsFolder: null,
        backupsLimitMB: 2048,
      },
      problems: [],
    });
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
        'hermes.memory.recallTimeout': 0.5,
        'hermes.memory.hindsight.url': ' http://127.0.0.1:8888 ',
        'hermes.memory.hindsight.bank': ' team ',
        'hermes.approvals.allow': ['run(npm test)'],
        'hermes.approvals.deny': ['run(git push *)'],
        'hermes.storage.path': '/var/lib/hermes',
        'hermes.terminal.timeout': 20,
        'hermes.trash.days': 7,
        'hermes.backups.enabled': false,
        'hermes.backups.folder': ' /mnt/disk ',
        'hermes.backups.limitMB': 500,
      }),
    );
    expect({ settings, problems }).toEqual({
      settings: {
        model: 'Local/qwen3:8b',
        providers: [{ ...local, models: [{ id: 'qwen3:8b', contextWindow: 32768, tools: true }] }],
        reasoningEffort: 'high',
        busyInput: 'steer',
        mode: 'plan',
        approvals: { allow: ['run(npm test)'], deny: ['run(git push *)'] },
        checkpoints: true,
        notifications: 'always',
        personalFiles: ['codex'],
        continueAfterConnectionLoss: true,
        maxIterations: 5,
        spendingLimit: 2.5,
        sessionTitles: 'prompt',
        compressionThreshold: 0.5,
        compressionModel: 'Local/qwen3:1b',
        memoryProvider: 'hindsight',
        memoryRecallTimeoutMs: 500,
        hindsightUrl: 'http://127.0.0.1:8888',
        hindsightBank: 'team',
        storagePath: '/var/lib/hermes',
        terminalTimeoutSeconds: 20,
        sandbox: 'auto',
        trashDays: 7,
        rescue: false,
        backupsEnabled: false,
        backupsFolder: '/mnt/disk',
        backupsLimitMB: 500,
      },
      problems: [],
    });
  });

  it('name every bad value in a sentence and continue with its default', () => {
    const { settings, problems } = readSettings(
      configuration({
        'hermes.model': 'qwen',
        'hermes.providers': 'http://x',
        'hermes.reasoningEffort': 'extreme',
        'hermes.busyInput': 'shout',
        'hermes.personalFiles': ['cursor'],
        'hermes.maxIterations': 0,
        'hermes.spendingLimit': -1,
        'hermes.continueAfterConnectionLoss': 'yes',
        'hermes.sessionTitles': 'mine',
        'hermes.compression.threshold': 2,
        'hermes.compression.model': 'qwen',
        'hermes.memory.provider': '',
        'hermes.memory.recallTimeout': -1,
        'hermes.storage.path': 'here',
        'hermes.terminal.timeout': 0,
        'hermes.trash.days': 0.5,
        'hermes.backups.enabled': 'hourly',
        'hermes.backups.folder': 'backups',
        'hermes.backups.limitMB': 1,
      }),
    );
    expect(settings).toEqual({
      model: null,
      providers: [],
      reasoningEffort: 'default',
      busyInput: 'queue',
      mode: 'ask',
      approvals: { allow: [], deny: [] },
      checkpoints: true,
      notifications: 'whenHidden',
      personalFiles: ['hermes', 'claude', 'codex'],
      continueAfterConnectionLoss: true,
      maxIterations: 90,
      spendingLimit: 0,
      sessionTitles: 'model',
      compressionThreshold: 0.8,
      compressionModel: null,
      memoryProvider: 'builtin',
      memoryRecallTimeoutMs: 2000,
      hindsightUrl: null,
      hindsightBank: null,
      storagePath: null,
      terminalTimeoutSeconds: 120,
      sandbox: 'auto',
      trashDays: 30,
      rescue: false,
      backupsEnabled: true,
      backupsFolder: null,
      backupsLimitMB: 2048,
    });
    expect(problems.map(({ sentence }) => sentence)).toEqual([
      'The setting `hermes.model` is not written as Provider/model-id. The default is used until you fix it.',
      'The setting `hermes.compression.model` is not written as Provider/model-id. The default is used until you fix it.',
      'The setting `hermes.memory.recallTimeout` is not a number of seconds from 0 to 60. The default is used until you fix it.',
      'The setting `hermes.storage.path` is not an absolute path. The default is used until you fix it.',
      'The setting `hermes.backups.folder` is not an absolute path. The default is used until you fix it.',
      'The setting `hermes.providers` is not a list of providers. It is ignored until you fix it.',
      'The setting `hermes.reasoningEffort` is not one of default, none, low, medium, high. The default is used until you fix it.',
      'The setting `hermes.busyInput` is not one of queue, interrupt, steer. The default is used until you fix it.',
      'The setting `hermes.personalFiles` is not a list of hermes, claude, codex. The default is used until you fix it.',
      'The setting `hermes.continueAfterConnectionLoss` is neither true nor false. The default is used until you fix it.',
      'The setting `hermes.maxIterations` is not a whole number from 1 to 1000. The default is used until you fix it.',
      'The setting `hermes.spendingLimit` is not a number of US dollars from 0 to 100000. The default is used until you fix it.',
      'The setting `hermes.sessionTitles` is not one of model, prompt. The default is used until you fix it.',
      'The setting `hermes.compression.threshold` is not a number from 0.3 to 0.95. The default is used until you fix it.',
      'The setting `hermes.memory.provider` is not the name of a memory provider. The default is used until you fix it.',
      'The setting `hermes.terminal.timeout` is not a number of seconds from 1 to 86400. The default is used until you fix it.',
      'The setting `hermes.trash.days` is not a whole number of days from 0 to 3650. The default is used until you fix it.',
      'The setting `hermes.backups.enabled` is neither true nor false. The default is used until you fix it.',
      'The setting `hermes.backups.limitMB` is not a whole number from 10 to 1000000. The default is used until you fix it.',
    ]);
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
      'Entry 1 of the setting `hermes.providers` (“a/b”) is ignored: name contains a slash; protocol is neither “openai” nor “anthropic”; baseUrl is missing.',
      'Entry 2 of the setting `hermes.providers` (“ ”) is ignored: name is empty; models.0.contextWindow can’t be used.',
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
      approvals: { allow: [], deny: ['run(rm *)'] },
      storagePath: null,
      trashDays: 30,
      rescue: false,
      continueAfterConnectionLoss: true,
      maxIterations: 3,
      spendingLimit: 0,
    });
  });
});
