/** A repeatable source of numbers from 0 to below `limit`. */
export function seededNumbers(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
}

const values = [
  'null',
  '0',
  '-1',
  '1e999',
  '""',
  '[]',
  '{}',
  'true',
  '"x"',
  '[[[]]]',
  '{"type":"text"}',
  '9007199254740993',
];

/** Damages a file as programs, disks and users do: cuts, flips, repeats, reorders, replaces values. */
export function mutated(content: Uint8Array, pick: (limit: number) => number): Uint8Array {
  let bytes = content;
  const rounds = 1 + pick(3);
  for (let round = 0; round < rounds; round++) bytes = mutatedOnce(bytes, pick);
  return bytes;
}

function mutatedOnce(bytes: Uint8Array, pick: (limit: number) => number): Uint8Array {
  if (bytes.length === 0) return bytes;
  const at = pick(bytes.length);
  switch (pick(7)) {
    case 0:
      return bytes.slice(0, at);
    case 1: {
      const flipped = bytes.slice();
      flipped[at] = pick(256);
      return flipped;
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(at + 1 + pick(200), bytes.length))]);
    case 3: {
      const lines = Buffer.from(bytes).toString('latin1').split('\n');
      const from = pick(lines.length);
      lines.splice(pick(lines.length), pick(2), lines[from] ?? '');
      return Buffer.from(lines.join('\n'), 'latin1');
    }
    case 4:
      return withOtherValue(bytes, at, pick);
    case 5:
      return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    default:
      return withOtherName(bytes, at, pick);
  }
}

/** Replaces the JSON value after the next colon. */
function withOtherValue(bytes: Uint8Array, at: number, pick: (limit: number) => number): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const rest = text
    .slice(at)
    .replace(/:\s*("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)/, () => `:${values[pick(values.length)] ?? ''}`);
  return Buffer.from(text.slice(0, at) + rest, 'latin1');
}

function withOtherName(bytes: Uint8Array, at: number, pick: (limit: number) => number): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const names = ['type', 'id', 'uuid', 'role', '__proto__', 'content', 'constructor', ''];
  const rest = text.slice(at).replace(/"[\w-]*":/, () => `"${names[pick(names.length)] ?? ''}":`);
  return Buffer.from(text.slice(0, at) + rest, 'latin1');
}
