import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where an agent is tried: a home and a project of its own, and a model on this machine. */
export interface Surroundings {
  readonly home: string;
  readonly project: string;
  /** Of the model server, without a path. */
  readonly url: string;
}

/** Another agent, and how it is set up for a model on this machine. */
export interface PeerAgent {
  readonly name: string;
  readonly label: string;
  /** On npm. */
  readonly package: string;
  readonly version: string;
  /** Its program in the package. */
  readonly program: string;
  /** Environment variables beside HOME and PATH. */
  env(around: Surroundings): Readonly<Record<string, string>>;
  args?(around: Surroundings): readonly string[];
  /** Files of its home, by path. */
  files?(around: Surroundings): Readonly<Record<string, unknown>>;
  /** What the screen shows once it takes a prompt. */
  readonly ready: RegExp;
  /** What is to be pressed first where the screen shows this. */
  readonly answers?: readonly (readonly [RegExp, string])[];
}

const key = 'sk-ant-api03-0000000000000000000000000000000000000000';
const openAi = ({ url }: Surroundings) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` });

function opencodeConfig({ url }: Surroundings) {
  return {
    model: 'local/test-model',
    small_model: 'local/test-model',
    autoupdate: false,
    share: 'disabled',
    provider: {
      local: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Local',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: { 'test-model': { name: 'Test', limit: { context: 100_000, output: 10_000 } } },
      },
    },
  };
}

export const peerAgents: readonly PeerAgent[] = [
  {
    name: 'claude',
    label: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.330',
    program: 'claude',
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: ({ project }) => ({
      '.claude.json': {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      },
    }),
    ready: /^\s*[❯>]\s/m,
    answers: [
      [/trust (?:the files in )?this folder/i, 'Enter'],
      [/Do you want to use this API key/i, 'Up Enter'],
    ],
  },
  {
    name: 'codex',
    label: 'Codex CLI',
    package: '@openai/codex',
    version: '0.169.0',
    program: 'codex',
    env: () => ({ LOCAL_KEY: key }),
    files: ({ url, project }) => ({
      '.codex/config.toml': [
        'model = "test-model"',
        'model_provider = "local"',
        'check_for_update_on_startup = false',
        '[model_providers.local]',
        'name = "Local"',
        `base_url = "${url}/v1"`,
        'env_key = "LOCAL_KEY"',
        'wire_api = "responses"',
        `[projects."${project}"]`,
        'trust_level = "trusted"',
        '',
      ].join('\n'),
    }),
    ready: /^\s*›/m,
    answers: [[/Press enter to continue/i, 'Enter']],
  },
  {
    name: 'opencode',
    label: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    files: (around) => ({ '.config/opencode/opencode.json': opencodeConfig(around) }),
    ready: /Ask anything|ctrl\+p commands|tab.*agents/i,
  },
  {
    name: 'kilo',
    label: 'Kilo CLI',
    package: '@kilocode/cli',
    version: '7.7.7',
    program: 'kilo',
    env: () => ({ KILO_DISABLE_AUTOUPDATE: '1' }),
    files: (around) => ({
      '.config/kilo/opencode.json': opencodeConfig(around),
      '.config/kilo/kilo.json': opencodeConfig(around),
    }),
    ready: /Ask anything|ctrl\+p commands|tab.*agents/i,
  },
  {
    name: 'gemini',
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    env: ({ url }) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    files: () => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    }),
    ready: /Type your message/,
  },
  {
    name: 'qwen',
    label: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'qwen',
    env: (around) => ({ ...openAi(around), OPENAI_MODEL: 'test-model' }),
    files: () => ({
      '.qwen/settings.json': {
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      },
    }),
    ready: /Type your message/,
  },
  {
    name: 'pi',
    label: 'pi',
    package: '@mariozechner/pi-coding-agent',
    version: '0.73.1',
    program: 'pi',
    env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
    args: () => ['--model', 'local/test-model'],
    files: ({ url }) => ({
      '.pi/agent/models.json': {
        providers: {
          local: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: key,
            models: [
              {
                id: 'test-model',
                name: 'Test',
                reasoning: false,
                input: ['text'],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 100_000,
                maxTokens: 10_000,
              },
            ],
          },
        },
      },
    }),
    ready: /test-model/,
  },
  {
    name: 'cline',
    label: 'Cline CLI',
    package: 'cline',
    version: '3.0.65',
    program: 'cline',
    env: () => ({ CLINE_NO_AUTO_UPDATE: '1' }),
    args: () => ['-i'],
    files: ({ url }) => ({
      '.cline/data/settings/providers.json': {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: key,
              baseUrl: `${url}/v1`,
              model: 'test-model',
            },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      },
    }),
    ready: /What can I do/i,
    answers: [[/any other key to close/i, 'Escape']],
  },
  {
    name: 'continue',
    label: 'Continue CLI',
    package: '@continuedev/cli',
    version: '1.5.47',
    program: 'cn',
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
    args: ({ home }) => ['--config', join(home, '.continue/config.yaml')],
    files: ({ url }) => ({
      '.continue/config.yaml': [
        'name: Local',
        'version: 1.0.0',
        'schema: v1',
        'models:',
        '  - name: Test',
        '    provider: openai',
        '    model: test-model',
        `    apiBase: ${url}/v1`,
        `    apiKey: ${key}`,
        '    roles: [chat]',
        '',
      ].join('\n'),
      '.continue/.onboarding_complete': '2026-01-01T00:00:00.000Z',
    }),
    ready: /Ask anything|^\s*[●>]/im,
  },
];

/** Writes the agent's files into its home. Text as it is, everything else as JSON. */
export function setUp(agent: PeerAgent, around: Surroundings): void {
  for (const [name, content] of Object.entries(agent.files?.(around) ?? {})) {
    const file = join(around.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}
