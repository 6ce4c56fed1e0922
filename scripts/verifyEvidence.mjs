// Verifies an export of Hermes against its evidence. Needs only Node 20 or later, and nothing of Hermes:
//   node verifyEvidence.mjs <file> [--evidence <file>] [--key <public key, PEM>]
// Exit code 0: the file is as it was exported. 1: it is not. 2: wrong usage, or a file that cannot be read.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const checkpointLines = 100;
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const derOf = (pem) => createPublicKey(pem).export({ type: 'spki', format: 'der' });

/** The hash of each line is hashed with the hash of all lines before it. */
async function chainOf(path) {
  let [head, line, isBegun, lines] = [sha256('hermes-evidence 1\n'), createHash('sha256'), false, 0];
  const checkpoints = [];
  const end = () => {
    head = sha256(head, line.digest());
    [line, isBegun] = [createHash('sha256'), false];
    if (++lines % checkpointLines === 0) checkpoints.push(head.toString('hex'));
  };
  for await (const bytes of createReadStream(path)) {
    let start = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, start)) {
      line.update(bytes.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < bytes.length) {
      line.update(bytes.subarray(start));
      isBegun = true;
    }
  }
  if (isBegun) end();
  return { head: head.toString('hex'), lines, checkpoints };
}

function problemsOf(found, { statement, publicKey, signature }, knownKey) {
  const said = JSON.parse(statement);
  if (said.format !== 'hermes-evidence' || said.version !== 1) return ['This evidence has another format.'];
  const problems = [];
  if (publicKey === null || signature === null) {
    if (knownKey !== null || publicKey !== signature) problems.push('The evidence is not signed.');
  } else if (knownKey !== null && !derOf(knownKey).equals(derOf(publicKey)))
    problems.push('Another key signed this evidence.');
  else if (!verify(null, Buffer.from(statement), createPublicKey(publicKey), Buffer.from(signature, 'base64')))
    problems.push('The signature does not belong to this evidence.');
  if (found.head !== said.head || found.lines !== said.lines) {
    const at = said.checkpoints.findIndex((hash, index) => found.checkpoints[index] !== hash);
    const first = (at === -1 ? said.checkpoints.length : at) * checkpointLines + 1;
    problems.push(`The file was changed: the first change is in lines ${first} to ${first + checkpointLines - 1}.`);
  }
  return problems;
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { evidence: { type: 'string' }, key: { type: 'string' } },
  });
  const [path] = positionals;
  if (path === undefined) throw new Error('Usage: node verifyEvidence.mjs <file> [--evidence <file>] [--key <file>]');
  const evidence = JSON.parse(readFileSync(values.evidence ?? `${path}.evidence.json`, 'utf8'));
  const knownKey = values.key === undefined ? null : readFileSync(values.key, 'utf8');
  const problems = problemsOf(await chainOf(path), evidence, knownKey);
  for (const problem of problems) console.log(problem);
  if (problems.length === 0) console.log('The file is as it was exported.');
  if (evidence.publicKey !== null)
    console.log(`Key: ${sha256(derOf(evidence.publicKey).toString('base64')).toString('hex')}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
