import type { AccessPath } from '../transcript/approval';
import type { AccessPaths } from './accessPaths';
import type { AskedAccess } from './tool';
import { FileNotFound, type WorkspaceFiles } from './workspaceFiles';

/** Read access to a path: provides the place for the approval, and checks it again when it is read. */
export class ReadAccess {
  private readonly asked = new WeakMap<object, string>();

  constructor(
    private readonly files: WorkspaceFiles,
    private readonly paths: AccessPaths,
  ) {}

  /** `input`: the arguments of the call. A path that does not exist needs no approval. */
  async asks(input: object, written: string): Promise<AskedAccess> {
    const place = await this.existing(written);
    this.asked.set(input, place.path);
    return { access: { kind: 'read', paths: [place] } };
  }

  /** Rejects when the path leads elsewhere than at approval: a link was replaced. */
  async place(input: object, written: string): Promise<AccessPath> {
    const place = await this.existing(written);
    const asked = this.asked.get(input);
    if (asked !== undefined && asked !== place.path)
      throw new Error(`${written} leads elsewhere now than when it was asked for. Call the tool again.`);
    return place;
  }

  private async existing(written: string): Promise<AccessPath> {
    const place = await this.paths.resolveAccess(written);
    if ((await this.files.kindOf(place.path)) === null) throw new FileNotFound(written);
    return place;
  }
}
