/** Writes the bill of materials of a package: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/. The same components give the same bytes. */
import { createHash } from 'node:crypto';
import { readIdentity } from './identity.mjs';

/**
 * @param {{ version: string, license: string, components: readonly import('./notices.d.mts').Component[], vsix: Buffer
 * }} shipped `vsix`: the package that the bill is for
 * @returns {string}
 */
export function sbomText({ version, license, components, vsix }) {
  const { publisher, name, displayName, repository } = readIdentity();
  const digest = createHash('sha256').update(vsix).digest('hex');
  const self = `pkg:vscode-extension/${publisher}/${name}@${version}`;
  const listed = components.map(describe);
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(digest)}`,
    version: 1,
    metadata: {
      component: {
        'bom-ref': self,
        type: 'application',
        publisher,
        name,
        version,
        description: displayName,
        hashes: [{ alg: 'SHA-256', content: digest }],
        licenses: licensesOf(license),
        purl: self,
        externalReferences: [{ type: 'vcs', url: repository }],
      },
    },
    components: listed,
    dependencies: [
      { ref: self, dependsOn: listed.map((component) => component['bom-ref']) },
      ...listed.map((component) => ({ ref: component['bom-ref'] })),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function describe({ name, version, license, website, type, isPackage }) {
  const purl = isPackage ? packageUrl(name, version) : undefined;
  return {
    'bom-ref': purl ?? [name, version].filter(Boolean).join('@'),
    type,
    name,
    ...(version && { version }),
    licenses: licensesOf(license),
    ...(purl && { purl }),
    ...(website && { externalReferences: [{ type: 'website', url: website }] }),
  };
}

/** A single identifier, or an expression such as "(MPL-2.0 OR Apache-2.0)". */
function licensesOf(license) {
  return /\s/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

/** https://github.com/package-url/purl-spec: the `@` of a scope is escaped. */
function packageUrl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A UUID of version 8 (RFC 9562, 5.8) out of a digest: a bill of the same package has the same number. */
function uuidOf(digest) {
  const variant = ((Number.parseInt(digest[16], 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
