import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../src/models/secrecy/secrecy';

describe('secrets in the text of a conversation', () => {
  it.each([
    ['use sk-proj-abc123def456ghi7 now', 'use [secret] now'],
    ['It is sk-proj-abc123def456ghi7.', 'It is [secret].'],
    ['ghp_abcdefghijklmnopqrstuv0123456789', '[secret]'],
    ['github_pat_11ABCDEFG0abcdefghijkl_xyz', '[secret]'],
    ['AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE', 'AWS_ACCESS_KEY_ID=[secret]'],
    ['xoxb-123456789012-abcdefghij', '[secret]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpM', '[secret]'],
    ['Authorization: Bearer abc123def456ghi789', 'Authorization: Bearer [secret]'],
    ['postgres://app:hunter2@db/x', 'postgres://app:[secret]@db/x'],
    ['password: "correct horse"', 'password: [secret]'],
    ["apiKey = 'abcdefgh'", 'apiKey = [secret]'],
    ['{"client_secret":"abcdefgh"}', '{"client_secret":[secret]}'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest', '[secret]\nrest'],
    ['-----BEGIN PRIVATE KEY-----\ncut off', '[secret]'],
  ])('%j', (text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
    expect(maskSecrets(expected)).toBe(expected);
  });

  it.each([
    'Fix the authorization middleware and the bearer certificate.',
    'const token: string = await fetchToken(process.env.TOKEN);',
    'if (token === expected) return;',
    'const check = (password => password.length > 8);',
    'Password: required, at least 8 characters',
    'git commit 405eb9d3a1c5f0e2b7',
    'rk-tree-shaking and or-else-handling',
    'https://example.com/a@b',
    'api_key: ${{ secrets.KEY1 }}',
  ])('leaves %j unchanged', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});
