import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutCredentials } from '../../../src/tools/childEnvironment';
import { gitCommand } from '../../../src/tools/knowledge/git/gitCommand';
import { inheritedEnvironment } from '../../../src/features/mcp/core/serverPlan';
import { commandEnvironment } from '../../../src/tools/terminal/commandEnvironment';

const credentials: Readonly<Record<string, string>> = {
  PGPASSWORD: 'x',
  MYSQL_PWD: 'x',
  DATABASE_URL: 'postgres://localhost/a',
  REDIS_URL: 'redis://localhost',
  MONGODB_URI: 'x',
  MY_DATABASE_URL: 'x',
  SLACK_WEBHOOK_URL: 'https://hooks.example/x',
  SENTRY_DSN: 'x',
  OPENAI_API_KEY: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  AWS_SESSION_TOKEN: 'x',
  GITHUB_TOKEN: 'x',
  GH_PAT: 'x',
  NPM_CONFIG__AUTHTOKEN: 'x',
  'npm_config_//registry.example/:_authToken': 'x',
  VAULT_PASSPHRASE: 'x',
  AZURE_STORAGE_CONNECTION_STRING: 'x',
  DB_PASS: 'x',
  SESSION_COOKIE: 'x',
  smtp_password: 'x',
  HTTPS_PROXY: 'http://ann:hunter2@proxy.example:8080',
  PIP_INDEX_URL: 'https://ann:hunter2@pypi.example/simple',
  ...Object.fromEntries(
    (
      'DBPASS CREDS JWT CI_JOB_JWT SECRETKEY APISECRET ACCESSTOKEN BOTTOKEN PRIVATEKEY CLIENTSECRET LDAP_PW SMTPPASS ' +
      'HMAC_KEY DEPLOYKEY ANSIBLE_BECOME_PASS TOKEN_FILE OTP'
    )
      .split(' ')
      .map((name) => [name, 'x']),
  ),
  HARMLESS_NAME: 'ghp_abcdefghijklmnopqrstuv0123456789',
  OTHER_NAME: 'AKIAIOSFODNN7EXAMPLE',
  HEADER: 'Bearer abc123def456ghi789',
};
const others: Readonly<Record<string, string>> = {
  PATH: '/bin',
  HOME: '/h',
  PWD: '/w',
  OLDPWD: '/v',
  SSH_AUTH_SOCK: '/s',
  XAUTHORITY: '/x',
  LANG: 'C',
  NVM_DIR: '/n',
  HTTP_PROXY: 'http://proxy.example:8080',
  GIT_AUTHOR_NAME: 'Ann',
  KEYBOARD_LAYOUT: 'de',
  API_URL: 'https://api.example',
  JAVA_HOME: '/j',
  PASSENGER: '1',
  COMPASS: '1',
  BYPASS: '1',
  HOTKEY: '1',
  MAX_TOKENS: '1',
  TOKENIZERS_PARALLELISM: '1',
  PUBLIC_KEY: 'a',
  LS_COLORS: 'di=01;34:*.tar=01;31',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-environment-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('credentials of the environment', () => {
  it.each(Object.entries(credentials))('include %s', (name, value) =>
    expect(withoutCredentials({ [name]: value })).toEqual({}),
  );
  it.each(Object.entries(others))('do not include %s', (name, value) =>
    expect(withoutCredentials({ [name]: value })).toEqual({ [name]: value }),
  );

  it('reach no command, no server and no git', async () => {
    const environment = { ...credentials, ...others };
    const command = commandEnvironment({
      login: environment,
      terminal: {},
      python: null,
      secrets: [],
      platform: 'linux',
    });
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\nenv >&2\nexit 3\n', { mode: 0o755 });
    const git = (
      await gitCommand({
        executable: () => program,
        startIn: folder,
        environment: { ...environment, PATH: process.env['PATH'] },
      })(folder, ['status'], new AbortController().signal)
    ).error;
    const names = Object.keys(credentials);
    expect([
      names.filter((name) => name in command),
      names.filter((name) => name in inheritedEnvironment(environment)),
      names.filter((name) => git.includes(`${name}=`)),
      git.includes('HOME=/h'),
    ]).toEqual([[], [], [], true]);
  });

  it('reach commands through the terminal settings, if the user wants it', () => {
    expect(
      commandEnvironment({
        login: { GITHUB_TOKEN: 'x' },
        terminal: { GITHUB_TOKEN: 'mine' },
        python: null,
        secrets: [],
        platform: 'linux',
      }),
    ).toMatchObject({ GITHUB_TOKEN: 'mine' });
  });
});
