/** A package of which something is shipped, or a part of another project inside one. */
export interface Component {
  readonly name: string;
  readonly version?: string;
  /** SPDX expression. */
  readonly license: string;
  readonly website?: string;
  /** As CycloneDX names it. */
  readonly type: 'library' | 'data' | 'file';
  /** True for a package of the npm registry. */
  readonly isPackage?: boolean;
  /** License texts. */
  readonly text: string;
}
/** The packages that these files belong to, and what else is in them; throws where a package has no license text. */
export function shippedComponents(root: string, files: readonly string[]): Component[];
/** The notices of these components. */
export function noticesText(components: readonly Component[]): string;
/** A component as the notices head it: "name version (license)". */
export function titleOf(component: Component): string;
