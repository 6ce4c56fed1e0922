/** Texts with fake secrets of many kinds. `#20` stands for 20 letters and digits, `@20` for 20 hexadecimal digits,
 *  `%10` for 10 letters. Put together at run time, so that no scanner takes this file for one that holds secrets. */
const reported = String.raw`
dop·_v1_@64
hvs·.#90
dapi·@32
glsa·_#32_@8
glc·_#60
sntrys·_#80
NRAK·-#27
HRKU·-@8-@4-@4-@4-@12
FlyV1 ·fm2_#80
rnd·_#28
nfp·_#36
sbp·_@40
sb·_secret_#31
pscale·_tkn_#43
dckr·_pat_#27
rubygems·_@48
PMAK·-@24-@34
figd·_#40
ntn·_#46
ATATT3·xFfGF0#160
ATBB·#32
CFPAT·-#43
pat-·na1-@8-@4-@4-@4-@12
pplx·-#48
r8·_#37
tvly·-#32
lsv2·_pt_@32_@10
pcsk·_#60
whsec·_#32
gldt·-#20
glrt·-#20
glptt·-@40
AGE-SECRET·-KEY-1#58
AKCp·#69
LTAI·#20
sq0atp·-#22
PGPASSWORD=#16
PGPASSWORD=%12 psql -h db
docker run -e DB_PASS=#14 app
{"pass":"#14"}
<password>#16</password>
<Password>%10#4</Password>
ALGOLIA_ADMIN_KEY = "@32"
PRIVATE_KEY=0x@64
{\"password\":\"#14\"}
{\"token\":\"#24\"}
DefaultEndpointsProtocol=https;AccountName=a;Account·Key=#86==;EndpointSuffix=x
GET /a?X-Amz-Signature=@64&x=1
X-Amz-Security-Token=#100
mytool --token #24 run
mytool --password #14
mytool --api-key "#30"
curl -u ann:#14 https://h.example
curl -s --user ann:%10#4 https://h.example
curl --user "ann:#14" https://h.example
machine h.example login ann password #14
machine h.example login ann account x password #14
Cookie: session=#40
Cookie: a=b; sid=#32
Set-Cookie: sid=#32; Path=/; HttpOnly
Authorization: Token #40
Authorization: ApiKey #40
authorization: Digest #30
"Authorization": "Token #30"
Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=@64
DBPASS=#12
CREDS=#16
JWT=#40
CI_JOB_JWT=#40
SECRETKEY=#24
APISECRET=#24
ACCESSTOKEN=#24
BOTTOKEN=#24
PRIVATEKEY=#40
CLIENTSECRET=#24
DB_PASSWORD=#12
MYSQL_PWD=#12
REDIS_PASSWORD: #14
spring.datasource.password=#12
password: '#12'
passwd = "#12"
"client_secret": "#24"
clientSecret: "#24",
'api_key' => '#24',
:password => "#14",
$config['password'] = '#14';
os.environ["API_TOKEN"] = "#24"
private const string ApiKey = "#24";
let secretKey = "#24"
SECRET_KEY = '#50'
export STRIPE_KEY=sk·_live_#24
export GITHUB_TOKEN=gh·p_#36
npm·_#36
//registry.example/:_authToken=#36
gho·_#36
github·_pat_#82
glpat·-#20
xox·b-123456789012-#24
xapp·-1-A012345-123456-#64
sk·-proj-#74
sk·-ant-api03-#93
sk·-or-v1-@64
gsk·_#52
xai·-#80
hf·_#34
nvapi·-#64
csk·-#48
AI·za#35
ya29·.#60
GOCSPX·-#28
AK·IAQ4WZ7XN2PLMV6T3R
aws_secret_access_key = #40
aws_session_token = #100
sk·_test_#24
rk·_live_#24
shpat·_@32
SG·.#22.#43
key·-@32
xkeysib·-@64-#16
lin·_api_#40
pypi·-AgEIcHlwaS5vcmc#60
postgres://app:#12@db.example/x
mongodb+srv://app:#12@h.example/x
redis://:#12@h.example
https://ann:#12@h.example/a.git
amqp://app:%8#3@h.example
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.#43
Authorization: Bearer #40
Authorization: Basic #40==
x-api-key: #32
X-Auth-Token: #32
Private-Token: #20
token=#40
?access_token=#40&a=b
refresh_token: #40
id_token="#60"
bot_token: "1234567890:AA#33"
-----BEGIN RSA ·PRIVATE KEY-----\n#300\n-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH ·PRIVATE KEY-----\n#300
-----BEGIN PGP ·PRIVATE KEY BLOCK-----\n#300
passphrase = "#16"
encryption_key: #32
signingKey: "#32"
webhook: "https://hooks.example/#32"
credentials: "#32"
https://hooks.sla·ck.com/services/T0123456/B0123456/#24
SharedAccessKey=#43=
connectionString="Server=a;Password=#14;"
Server=db;User Id=sa;Pwd=#14;
sig=#43%3D
`;

const others = String.raw`
1234567890:AA#33
MT#24.#6.#38
SK@32
@32-us12
pat·#14.@64
A1b·8Q~#34
#14.atlasv1.#64
xprv#107
dp·.pt.#43
dt0c01·.#24.#64
tskey·-auth-#12-#32
pul·-@40
CCIPAT·_#22_@40
CCIPRJ·_#22_@40
bkua·_@40
oy2·#43
CLOJARS·_@60
sgp·_@40
pnu·_#36
phx·_#43
aio·_#28
duffel·_live_#43
shippo·_live_@40
EZAK·#54
napi·_#64
pscale·_pw_#43
hvb·.#90
jina·_#60
api·_org_#34
re·_#8_#24
fc·-@32
fw·_#24
tgp_v1·_#43
sntryu·_@64
nfo·_#36
DO00·#16
glcbt·-#20
glimt·-#25
glsoat·-#20
glagent·-#50
ATCTT3·xFfGN0#160
1//0·#60
FLWSECK·_TEST-#32
AGENT_TOKEN_FILE_TOKEN=#30
dbPassword: "#14"
dbPass = '#14'
"authToken":"#30"
"jwt": "#40"
adminKey: "#32"
<client-secret>#24</client-secret>
<a:apiKey>#24</a:apiKey>
mytool --client-secret=#24
mytool --auth-token '#30'
wget --user ann:#14 https://h.example
Authorization: SSWS #42
Cookie: "sid=#32"
{\"apiKey\":\"#32\"}
HMAC_KEY=#32
SESSION_SECRET="%20#4"
vault_password: #14
ansible_become_pass: #14
storage_account_key = "#60"
subscription-key: #32
X-Goog-Signature=@64
otp = "#16"
`;

const alphabets: Readonly<Record<string, string>> = {
  '#': 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5uV8xA1cD4fG7iL0oR3tU6wX9zB2dE5gH8jK1mN4pQ7sT0vW3yZ6b',
  '@': '3f9a07c1e5b842d60f7a93c81e5d2b604c9f7a13e8d05b26f47ac9130e8b5d27',
  '%': 'qwrtzpsdfghjklyxcvbnmqaywsxedcrfvtgb',
};

export interface SecretKind {
  readonly text: string;
  /** Longest stand-in. */
  readonly secret: string;
}

function kinds(list: string): readonly SecretKind[] {
  return list
    .trim()
    .split('\n')
    .map((line) => {
      let secret = '';
      const text = line
        .replaceAll('·', '')
        .replaceAll(String.raw`\n`, '\n')
        .replace(/([#@%])(\d+)/g, (_, kind: string, length: string) => {
          const signs = (alphabets[kind] ?? '').repeat(5).slice(0, Number(length));
          if (signs.length > secret.length) secret = signs;
          return signs;
        });
      return { text, secret: secret === '' ? text : secret };
    });
}

/** The kinds that an examination tried. */
export const reportedKinds = kinds(reported);
export const otherKinds = kinds(others);

/** Lines of ordinary work, with what may look like a secret. `§` stands for `$`. */
export const ordinaryLines: readonly string[] = String.raw`
commit 405eb9d3a1c5f0e2b7c8d9a0b1c2d3e4f5a6b7c8
index 3f9a07c..e5b842d 100644
"integrity": "sha512-3f9a07c1e5b842d60f7a93c81e5d2b604c9f7a13e8d05b26f47ac9130e8b5d27aB3dE6gH9jK2mN5pQ8==",
"resolved": "https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz",
sha256:3f9a07c1e5b842d60f7a93c81e5d2b604c9f7a13e8d05b26f47ac9130e8b5d27
3f9a07c1-e5b8-42d6-0f7a-93c81e5d2b60
id: 3f9a07c1-e5b8-42d6-0f7a-93c81e5d2b60
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4">
background: url(data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjwvc3ZnPg==)
const token: string = await fetchToken(process.env.TOKEN);
const token = req.headers.authorization?.split(' ')[1];
if (token === expected) return;
type Token = { kind: 'word' | 'space'; text: string };
tokens: 4096
max_tokens: 8192,
"total_tokens": 123456
prompt_tokens=1200 completion_tokens=800
const password = form.get('password');
password: z.string().min(8),
password: string;
password VARCHAR(255) NOT NULL,
"password": "Password",
"enterPassword": "Enter your password to continue",
"token.invalid": "The token is not valid any more",
Password: required, at least 8 characters
Forgot your password? Ask an administrator for a new one.
api_key: §{{ secrets.KEY1 }}
API_KEY=§{API_KEY}
TOKEN=$(cat token.txt)
export TOKEN="$GITHUB_TOKEN"
password = os.environ["DB_PASSWORD"]
apiKey: process.env.OPENAI_API_KEY,
secret: ctx.secrets.get(key),
const secretKey = await loadKey(1);
function tokenize(text) { return text.split(/\s+/); }
public_key: ssh-ed25519
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq8n0Jx5Xn5 ann@laptop
primary_key = user_id_1
cache_key: v1-linux-node20-3f9a07c1e5b8
key: "ArrowDown1"
<li key={item.id}>{item.name}</li>
foreign_key: accounts_v2
import { secretRules } from './secrecy';
export class TokenBucket2 {
rk-tree-shaking and or-else-handling
sk-SK.json and pa-IN.json are locales
napi_get_value_int32(env, argv[0], &count1);
key-rotation-2024-01-01 and as-of-2024-01-01
nfc_normalize_utf16_text rnd_generator_state_64 api_version_2024_01
<i class="ico-arrow-left-large2"></i>
Flyaway-service-10 glc_context_version_32 jina_embeddings_v2_base
re_match = re.compile(r"[0-9]+")
npm-run-all2 installed
npm_config_registry=https://registry.npmjs.org
fc-list : family style
src/secrets/token.ts:12:5 - error TS2304: Cannot find name 'password'.
  at Object.<anonymous> (/home/ann/app/test/token.test.ts:14:9)
test/password.test.ts  12 passed, 0 failed
pass 12, fail 0
PASS src/auth/session.test.ts (5.2 s)
# pass 128
auth: enabled
bypass = "fast-path-1"
compass: "north-2"
curl -s https://api.example.com/v1/items
curl -fsSL https://example.com/install.sh | bash
docker run -u 1000:1000 node:20 npm test
docker run -e NODE_ENV=production app
git clone https://github.com/a/b.git
git remote add origin git@github.com:a/b.git
postgres://localhost:5432/app
https://example.com/a?page=2&sort=name
https://example.com/a@b
ETag: "3f9a07c1e5b842d60f7a93c81e5d2b60"
Content-Type: application/json; charset=utf-8
Set the cookie: it must be HttpOnly.
Accept-Encoding: gzip, deflate, br
x-request-id: 3f9a07c1e5b842d60f7a93c8
traceparent: 00-3f9a07c1e5b842d60f7a93c81e5d2b60-93c81e5d2b604c9f-01
"_id": "64b8f0c2a1d3e4f5a6b7c8d9"
0x5FbDB2315678afecb367f032d93F642f64180aa3
bundle.3f9a07c1.js 142.3 kB
node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core
/nix/store/3f9a07c1e5b842d60f7a93c81e5d2b60-bash-5.2
Version 1.2.3-beta.4+build.5678
2026-11-28T09:34:08.123Z INFO [main] started in 1234 ms
SELECT token, secret FROM sessions WHERE id = 1;
.password-field { color: #3f9a07; }
<input type="password" name="password" autocomplete="off">
<label for="token">Token</label>
--password-stdin
docker login --username ann --password-stdin
gh auth login --with-token < file
const auth = useAuth();
signature: (a: number) => string
def sign(self, key: bytes) -> bytes:
The secret is in the key chain, so ask for it there.
Authorization is done by a middleware; see docs/auth.md.
Basic authentication is off, and bearer certificates are new.
Use §{{ github.token }} in the workflow.
assert response.headers["Authorization"] == expected
`
  .trim()
  .replaceAll('§', '$')
  .split('\n');
