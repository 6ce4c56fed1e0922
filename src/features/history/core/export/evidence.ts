import { createHash, createPrivateKey, createPublicKey, sign, verify, type Hash } from 'node:crypto';
import * as v from 'valibot';

/** Lines between two checkpoints. A change is found within this many lines. */
const checkpointLines = 100;
const seed = 'hermes-evidence 1\n';
const lineBreak = 0x0a;

/** Hash chain over the lines of a file: the hash of each line is hashed with the hash of all before it, so a line that
 *  was changed, removed, added or moved changes everything after it. Takes bytes in pieces of any size. */
export class LineChain {
  private head = createHash('sha256').update(seed).digest();
  private line: Hash = createHash('sha256');
  private isLineBegun = false;
  private lines = 0;
  private readonly checkpoints: string[] = [];

  readonly add = (bytes: Uint8Array): void => {
    let start = 0;
    for (let end = bytes.indexOf(lineBreak); end !== -1; end = bytes.indexOf(lineBreak, start)) {
      this.line.update(bytes.subarray(start, end));
      this.endLine();
      start = end + 1;
    }
    if (start === bytes.length) return;
    this.line.update(bytes.subarray(start));
    this.isLineBegun = true;
  };

  /** Ends the last line, if it has no line break, and returns the chain. */
  finish(): ChainState {
    if (this.isLineBegun) this.endLine();
    return { lines: this.lines, checkpoints: this.checkpoints, head: this.head.toString('hex') };
  }

  private endLine(): void {
    this.head = createHash('sha256').update(this.head).update(this.line.digest()).digest();
    [this.line, this.isLineBegun] = [createHash('sha256'), false];
    if (++this.lines % checkpointLines === 0) this.checkpoints.push(this.head.toString('hex'));
  }
}

interface ChainState {
  readonly lines: number;
  /** Hex of the chain after every 100 lines. */
  readonly checkpoints: readonly string[];
  readonly head: string;
}

const statementForm = v.object({
  format: v.literal('hermes-evidence'),
  version: v.literal(1),
  file: v.string(),
  /** ISO 8601, UTC. */
  madeAt: v.string(),
  lines: v.number(),
  checkpoints: v.array(v.string()),
  head: v.string(),
});

const evidenceForm = v.object({
  /** JSON text of the statement: exactly what is signed. */
  statement: v.string(),
  /** Ed25519, PEM. Null without a signature. */
  publicKey: v.nullable(v.string()),
  /** Base64. */
  signature: v.nullable(v.string()),
});

interface EvidenceInput {
  readonly file: string;
  readonly chain: ChainState;
  /** Seconds since 1970. */
  readonly madeAt: number;
  /** Ed25519, PEM. Null: a chain without a signature. */
  readonly privateKey: string | null;
}

/** Returns the content of `<export>.evidence.json`. Throws for a key that is not Ed25519. */
export function evidenceText({ file, chain, madeAt, privateKey }: EvidenceInput): string {
  const statement = JSON.stringify({
    format: 'hermes-evidence',
    version: 1,
    file,
    madeAt: new Date(madeAt * 1000).toISOString(),
    ...chain,
  });
  return `${JSON.stringify({ statement, ...signatureOf(statement, privateKey) }, null, 2)}\n`;
}

function signatureOf(
  statement: string,
  privateKey: string | null,
): { publicKey: string | null; signature: string | null } {
  if (privateKey === null) return { publicKey: null, signature: null };
  const key = createPrivateKey(privateKey);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key is not an Ed25519 key.');
  return {
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    signature: sign(null, Buffer.from(statement), key).toString('base64'),
  };
}

/** True for the content of an evidence file. */
export function isEvidence(text: string): boolean {
  const parsed = v.safeParse(evidenceForm, jsonOf(text));
  return parsed.success && v.safeParse(statementForm, jsonOf(parsed.output.statement)).success;
}

interface Verification {
  /** Each in one sentence; empty when the file is as it was exported. */
  readonly problems: readonly string[];
  readonly madeAt: string | null;
  readonly lines: number;
  readonly isSigned: boolean;
  /** SHA-256 of the key that signed, in hex. */
  readonly fingerprint: string | null;
}

/** Compares a file's chain with its evidence. `knownKey`: the public key, PEM, that must have signed. */
export function verifyEvidence(chain: ChainState, evidence: string, knownKey: string | null = null): Verification {
  const parsed = v.safeParse(evidenceForm, jsonOf(evidence));
  const said = parsed.success ? v.safeParse(statementForm, jsonOf(parsed.output.statement)) : null;
  if (!parsed.success || said?.success !== true)
    return {
      problems: ['The evidence is damaged.'],
      madeAt: null,
      lines: chain.lines,
      isSigned: false,
      fingerprint: null,
    };
  const { publicKey, signature, statement } = parsed.output;
  return {
    problems: [...signatureProblems(statement, publicKey, signature, knownKey), ...chainProblems(chain, said.output)],
    madeAt: said.output.madeAt,
    lines: chain.lines,
    isSigned: signature !== null,
    fingerprint:
      publicKey === null
        ? null
        : createHash('sha256')
            .update(keyBytes(publicKey) ?? '')
            .digest('hex'),
  };
}

function signatureProblems(
  statement: string,
  publicKey: string | null,
  signature: string | null,
  knownKey: string | null,
): readonly string[] {
  if (publicKey === null || signature === null)
    return knownKey === null && publicKey === signature ? [] : ['The evidence is not signed.'];
  if (knownKey !== null && keyBytes(knownKey) !== keyBytes(publicKey)) return ['Another key signed this evidence.'];
  try {
    const isValid = verify(null, Buffer.from(statement), createPublicKey(publicKey), Buffer.from(signature, 'base64'));
    return isValid ? [] : ['The signature does not belong to this evidence.'];
  } catch {
    return ['The key in the evidence is damaged.'];
  }
}

function chainProblems(found: ChainState, said: ChainState): readonly string[] {
  if (found.head === said.head && found.lines === said.lines) return [];
  const at = said.checkpoints.findIndex((hash, index) => found.checkpoints[index] !== hash);
  const first = (at === -1 ? said.checkpoints.length : at) * checkpointLines + 1;
  return [`The file was changed: the first change is in lines ${first} to ${first + checkpointLines - 1}.`];
}

function keyBytes(pem: string): string | null {
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64');
  } catch {
    return null;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
