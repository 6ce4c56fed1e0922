import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { evidencePath } from '../../history/core/export/evidenceFile';
import { LineChain, verifyEvidence } from '../../history/core/export/evidence';
import { UsageError, type Command } from '../command';
import { givenPath } from '../givenPaths';

/** Verifies that an exported file was not changed. */
export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Verifies that an exported file was not changed.',
  help: [
    'hermes-history verify <file> [--evidence <file>] [--key <file>]',
    '',
    '  --evidence <file>  default: <file>.evidence.json',
    '  --key <file>       the public key (PEM) that must have signed. Without it, the key in the evidence is used',
  ],
  options: { evidence: { type: 'string' }, key: { type: 'string' } },
  run: async (terminal, { evidence, key }, [file, ...rest]) => {
    if (file === undefined || rest.length > 0) throw new UsageError('Name the file to verify.');
    const path = givenPath(terminal, file, 'file');
    const textOf = (name: string): string => readFileSync(givenPath(terminal, name, 'file'), 'utf8');
    const chain = new LineChain();
    const stream: AsyncIterable<Uint8Array> = createReadStream(path, { signal: terminal.signal });
    for await (const bytes of stream) chain.add(bytes);
    const beside = evidencePath(path);
    if (typeof evidence !== 'string' && !existsSync(beside))
      throw new Error(`There is no evidence for the file (${beside}). "export --evidence" writes it.`);
    const said = textOf(typeof evidence === 'string' ? evidence : beside);
    const found = verifyEvidence(chain.finish(), said, typeof key === 'string' ? textOf(key) : null);
    terminal.result(found);
    for (const problem of found.problems) terminal.print(problem);
    if (found.problems.length === 0)
      terminal.print(`The file is as it was exported (${found.lines} lines, ${found.madeAt}).`);
    terminal.print(found.fingerprint === null ? 'It is not signed.' : `Key: ${found.fingerprint}`);
    return found.problems.length === 0 ? 0 : 1;
  },
};
