/** Text of the shape of a secret. Put together from parts, so that no scanner takes this repository's files for ones that hold secrets. */
export interface FakeSecret {
  readonly name: string;
  /** A text with the secret in it. */
  readonly text: string;
  /** What may not be left of it: the secret, or its telling half. */
  readonly secret: string;
  /** The rules that take it: ours, which are always there, or secretlint's alone. */
  readonly knownBy: 'ours' | 'secretlint';
}

const join = (...parts: readonly string[]): string => parts.join('');
const letters = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5uV8xA1cD4fG7iL0oR3tU6wX9zB2dE5gH8jK1mN4pQ7sT0vW3yZ6b';
const token = (length: number): string => letters.repeat(Math.ceil(length / letters.length)).slice(0, length);
const base64 = (length: number): string => join('MI', token(length - 2));

function fake(
  knownBy: FakeSecret['knownBy'],
  name: string,
  secret: string,
  around: (secret: string) => string = (text) => `use ${text} now`,
): FakeSecret {
  return { name, secret, text: around(secret), knownBy };
}

const block = (kind: string, body: string): string =>
  join('-----BEGIN ', kind, 'PRIVATE', ' KEY-----\n', body, '\n-----END ', kind, 'PRIVATE', ' KEY-----');
const inBlock = (kind: string) => (body: string) => `before\n${block(kind, body)}\nafter`;

export const fakeSecrets: readonly FakeSecret[] = [
  fake('ours', 'AWS access key id', join('AK', 'IA', 'Q4WZ7XN2PLMV6T3R')),
  fake('ours', 'AWS temporary key id', join('AS', 'IA', 'Q4WZ7XN2PLMV6T3R')),
  fake('secretlint', 'AWS role id', join('AR', 'OA', 'Q4WZ7XN2PLMV6T3R')),
  fake('ours', 'AWS secret access key', token(40), (key) => `aws_secret_access_key = ${key}`),
  fake('ours', 'AWS secret access key, quoted', token(40), (key) => `"SecretAccessKey": "${key}"`),
  fake(
    'secretlint',
    'AWS secret access key without a digit',
    token(400).replace(/\d/g, '').slice(0, 40),
    (key) => `AWS_SECRET_ACCESS_KEY => ${key}`,
  ),
  fake('ours', 'GCP service account', base64(400), (body) =>
    JSON.stringify({ type: 'service_account', private_key_id: '0f', private_key: block('', body) }, null, 2),
  ),
  fake('ours', 'Google API key', join('AI', 'za', token(35))),
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((prefix) =>
    fake('ours', `GitHub ${prefix}`, join(prefix, '_', token(36))),
  ),
  fake('ours', 'GitHub token with an underscore early in it', join('gh', 'p_', 'aB3_', token(32))),
  fake('ours', 'GitHub fine-grained', join('github', '_pat_', token(82))),
  fake(
    'ours',
    'GitHub OAuth address',
    token(40),
    (key) => `https://${join('gh', 'p_', key.slice(4))}:x-oauth-basic@github.com/a/b`,
  ),
  fake(
    'secretlint',
    'GitHub OAuth address of an old token',
    'c0ffee'.repeat(6),
    (key) => `https://${key}:x-oauth-basic@github.com/a/b`,
  ),
  fake('ours', 'GitLab', join('gl', 'pat-', token(20))),
  ...['xoxb', 'xoxp', 'xoxa', 'xoxr', 'xoxe', 'xoxs'].map((prefix) =>
    fake('ours', `Slack ${prefix}`, join(prefix, '-', '123456789012-', token(24))),
  ),
  fake('ours', 'Slack app', join('xa', 'pp-', '1-A012345-123456-', token(32))),
  fake('secretlint', 'Slack webhook', token(24), (key) =>
    join('https://hooks.', 'slack.com/services/', 'T0123456/B0123456/', key),
  ),
  fake('ours', 'Stripe secret', join('sk', '_live_', token(24))),
  fake('ours', 'Stripe restricted', join('rk', '_live_', token(24))),
  fake('ours', 'OpenAI', join('sk', '-proj-', token(74), 'T3Blbk', 'FJ', token(74))),
  fake('ours', 'OpenAI, older', join('sk', '-', token(20), 'T3Blbk', 'FJ', token(20))),
  fake('ours', 'Anthropic', join('sk', '-ant-api03-', token(93), 'AA')),
  fake('ours', 'npm', join('np', 'm_', token(36))),
  fake('ours', 'npmrc', join('np', 'm_', token(36)), (key) => `//registry.npmjs.org/:_authToken=${key}`),
  fake('ours', 'PyPI', join('py', 'pi-', 'AgEIcHlwaS5vcmc', token(80)), (key) => `password: ${key}`),
  fake('ours', 'PyPI, alone', join('py', 'pi-', 'AgEIcHlwaS5vcmc', token(80))),
  fake('ours', 'SendGrid', join('S', 'G.', token(22), '.', token(43))),
  ...['shpat', 'shpca', 'shppa', 'shpss'].map((prefix) =>
    fake('ours', `Shopify ${prefix}`, join(prefix, '_', token(32))),
  ),
  fake('ours', 'Linear', join('lin', '_api_', token(40))),
  fake(
    'ours',
    '1Password',
    join(
      'ops',
      '_',
      Buffer.from(
        JSON.stringify({ email: 'a@b.example', secretKey: token(60), userAuth: { salt: token(30) } }),
      ).toString('base64'),
    ),
  ),
  fake('ours', 'Hugging Face', join('hf', '_', token(34))),
  fake('ours', 'Groq', join('gs', 'k_', token(52))),
  ...['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', ''].map((kind) =>
    fake('ours', `${kind}private key`, base64(600), inBlock(kind)),
  ),
  fake('ours', 'PGP private key', token(300), (body) =>
    join('-----BEGIN PGP PRIVATE', ' KEY BLOCK-----\n', body, '\n-----END PGP PRIVATE', ' KEY BLOCK-----'),
  ),
  fake('ours', 'private key that is cut', base64(300), (body) => join('-----BEGIN PRIVATE', ' KEY-----\n', body)),
  fake('ours', 'basic auth', 'hunter2x', (password) => `https://ann:${password}@h.example/a`),
  fake(
    'ours',
    'basic auth that secretlint takes for a placeholder',
    'mypassword1',
    (password) => `https://ann:${password}@localhost:8080/a`,
  ),
  ...['postgres', 'postgresql', 'mysql', 'mongodb+srv', 'redis', 'amqp'].map((scheme) =>
    fake('ours', `${scheme} address`, 's3cr3tW0rd', (password) => `${scheme}://app:${password}@db.example:1/x`),
  ),
  fake('ours', 'JSON Web Token', ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', token(43)].join('.')),
  fake(
    'ours',
    'JSON Web Token with a long head',
    [join('ey', 'J', token(6000)), join('ey', 'J', token(400)), token(300)].join('.'),
  ),
  fake('ours', 'Bearer header', token(30), (key) => `Authorization: Bearer ${key}`),
  fake('ours', 'Basic header', Buffer.from('ann:hunter2x').toString('base64'), (key) => `Authorization: Basic ${key}`),
  fake('ours', 'Bearer header after another', token(30), (key) => `Basic authentication/bearer ${key}`),
  fake('ours', 'assignment', 'correct horse', (password) => `password = "${password}"`),
];
