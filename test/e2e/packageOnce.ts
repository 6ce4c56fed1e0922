import type { TestProject } from 'vitest/node';
import { packageExtension } from '../../scripts/package.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packaged extension that every test installs. */
    vsix: string;
  }
}

/** Packs the extension once per run, unless HERMES_VSIX names one that is packed already. */
export default async function setup(project: TestProject): Promise<void> {
  const given = process.env['HERMES_VSIX'];
  project.provide('vsix', given || (await packageExtension((line) => console.log(line))).file);
}
