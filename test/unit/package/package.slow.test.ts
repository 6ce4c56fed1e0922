import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPreRelease, packageExtension } from '../../../scripts/package.mjs';
import { readZip } from '../../../scripts/zipFile.mjs';

const require = createRequire(import.meta.url);
const billSchema = v.object({
  metadata: v.object({ component: v.object({ hashes: v.array(v.object({ alg: v.string(), content: v.string() })) }) }),
  components: v.array(v.object({ name: v.string(), version: v.optional(v.string()) })),
});

let folders: readonly string[];
let packages: readonly { readonly file: string; readonly sbom: string }[];
beforeAll(async () => {
  folders = ['first', 'second'].map((name) => mkdtempSync(path.join(tmpdir(), `hermes-package-${name}-`)));
  packages = await Promise.all(folders.map((folder) => packageExtension(() => undefined, folder)));
}, 240_000);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const packed = (index: number): { readonly file: string; readonly sbom: string } => {
  const found = packages[index];
  if (found === undefined) throw new Error('The extension was not packed');
  return found;
};
const first = (): { readonly file: string; readonly sbom: string } => packed(0);

/** The files of the package by their path inside `extension/`. */
function contents(): ReadonlyMap<string, string> {
  return new Map(
    [...readZip(first().file)].map(([name, { bytes }]) => [name.replace(/^extension\//, ''), bytes.toString('utf8')]),
  );
}

/** Names with versions, as the notices head them. */
function noticed(): readonly string[] {
  const text = contents().get('THIRD-PARTY-NOTICES.txt') ?? '';
  return [...text.matchAll(/^={80}\n(.+) \(.+\)\n={80}$/gm)].map(([, title]) => title ?? '').sort();
}

describe('the package', () => {
  it('has the same bytes when it is built again, and no times of files', () => {
    const times = new Set([...readZip(first().file).values()].map(({ time }) => time));
    expect({
      equal: readFileSync(first().file).equals(readFileSync(packed(1).file)),
      bills: readFileSync(first().sbom).equals(readFileSync(packed(1).sbom)),
      // 1 January 1980, 0:00.
      times: [...times],
    }).toEqual({ equal: true, bills: true, times: [0x0021_0000] });
  });

  it('holds no source maps, tests, sources or scripts', () => {
    const names = [...contents().keys()];
    const scripts = [...contents()].filter(([name]) => name.endsWith('.js'));
    expect({
      strays: names.filter((name) => /\.map$|\btests?\b|^(src|scripts|node_modules|docs)\//.test(name)),
      sources: names.filter((name) => /\.tsx?$/.test(name)),
      mapped: scripts.filter(([, text]) => text.includes('sourceMappingURL=')).map(([name]) => name),
    }).toEqual({ strays: [], sources: ['dist/hermes.d.ts'], mapped: [] });
  });

  it('shows pictures and pages of its own version', () => {
    const readme = contents().get('readme.md') ?? '';
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, address]) => address ?? '');
    const manifest = contents().get('package.json') ?? '';
    const { version } = v.parse(v.object({ version: v.string() }), JSON.parse(manifest));
    expect({
      some: pictures.length > 2,
      relative: [...readme.matchAll(/\]\((?!https:|#|mailto:)[^)]*\)/g)].map(([link]) => link),
      elsewhere: pictures.filter((address) => !address.includes(`/raw/v${version}/docs/screenshots/`)),
      changes: (contents().get('changelog.md') ?? '').includes(`## ${version}`),
      isPreRelease: (contents().get('extension.vsixmanifest') ?? '').includes('Code.PreRelease" Value="true"'),
    }).toEqual({ some: true, relative: [], elsewhere: [], changes: true, isPreRelease: isPreRelease(version) });
  });

  it('names the comments about licenses that the bundler took out', () => {
    const linked = [...contents()].flatMap(([name, text]) => {
      const [, file] = /see ([\w.-]+\.LEGAL\.txt) \*\/\s*$/.exec(text.slice(-200)) ?? [];
      return file === undefined ? [] : [path.posix.join(path.posix.dirname(name), file)];
    });
    const shipped = [...contents().keys()].filter((name) => name.endsWith('.LEGAL.txt'));
    expect({ linked: linked.sort(), some: shipped.length > 0 }).toEqual({ linked: shipped.sort(), some: true });
  });
});

describe('the bill of materials', () => {
  const bill = () => {
    const text = readFileSync(first().sbom, 'utf8');
    return { text, ...v.parse(billSchema, JSON.parse(text)) };
  };

  it('is valid CycloneDX 1.6', () => {
    const schema = (name: string): object =>
      v.parse(
        v.looseObject({}),
        JSON.parse(
          readFileSync(
            path.join(
              path.dirname(require.resolve('@cyclonedx/cyclonedx-library/package.json')),
              `res/schema/${name}.SNAPSHOT.schema.json`,
            ),
            'utf8',
          ),
        ),
      );
    const ajv = new Ajv({ strict: false, allErrors: true });
    for (const name of ['spdx', 'jsf-0.82'])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    addFormats.default(ajv);
    // Of RFC 3987 and 6531: addresses in other scripts, which ajv-formats does not check.
    for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true);
    const validate = ajv.compile(schema('bom-1.6'));
    expect([validate(JSON.parse(bill().text)), validate.errors]).toEqual([true, null]);
  });

  it('lists what the notices list, and belongs to this package', () => {
    const { components, metadata } = bill();
    expect({
      listed: components.map(({ name, version }) => [name, version].filter(Boolean).join(' ')).sort(),
      hashes: metadata.component.hashes,
    }).toEqual({
      listed: noticed(),
      hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(readFileSync(first().file)).digest('hex') }],
    });
    expect(components.length).toBeGreaterThan(50);
  });
});
