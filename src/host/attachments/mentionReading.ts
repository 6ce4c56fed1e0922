import { t } from '../../base/translate';
import { errorMessage } from '../../base/errorMessage';
import type { AccessPath } from '../../transcript/approval';
import type { MentionPart, SentPart } from '../../transcript/draftPart';
import type { AttachmentPart } from '../../transcript/part';
import { maxImageBytes } from '../../protocol/attachmentProtocol';
import { isSecret } from '../../tools/pathTreatment';
import { imageMediaType } from '../../transcript/imageFile';
import type { CodeSymbol } from '../../tools/knowledge/editorKnowledge';
import { problemLine, rank } from '../../tools/knowledge/overviewTools';
import { decodeText } from '../../tools/readFile';
import { holdsSecrets } from '../../tools/secretFiles';
import { PathRefused } from '../../tools/workspacePaths';
import { cutTo, excerptOf, mostCharacters, treeOf } from './attachedText';
import { gitText } from './gitMentions';
import { type MentionDeps, within } from './mentionDeps';
import { type LineRange, type MentionTarget, readSource, withLines } from './mentionSource';
import { MentionError } from '../common/describeError';
import { sessionText } from './sessionMention';

type TargetOf<K extends MentionTarget['kind']> = Extract<MentionTarget, { readonly kind: K }>;

/** Maximum size of a file that is read, in bytes. Also applies when only a part of the file is needed. */
export const maxFileBytes = 10 * 1024 * 1024;
const mostProblems = 200;
const timeoutMs = 30_000;
const symbolTimeoutMs = 5000;
const mostTerminalCharacters = 50_000;

/** Reads mentioned content in its current state. Rejects with a `MentionError` that names the mention. */
export class MentionReading {
  /** `isTypedInFull`: true when the user typed the whole name of a file that may hold secrets. */
  constructor(
    private readonly deps: MentionDeps,
    private readonly isTypedInFull: (path: string) => boolean,
  ) {}

  async read(mention: MentionPart): Promise<SentPart> {
    const target = readSource(mention.source);
    if (target === null)
      throw new MentionError(
        t('{label} can’t be attached because nothing matches it. Remove it.', { label: mention.label }),
      );
    try {
      return await this.readTarget(target, mention);
    } catch (error) {
      if (error instanceof MentionError) throw error;
      const reason = errorMessage(error);
      throw new MentionError(t('Couldn’t read {label}: {reason}', { label: mention.label, reason }), {
        cause: error,
      });
    }
  }

  private readTarget(target: MentionTarget, mention: MentionPart): Promise<SentPart> {
    switch (target.kind) {
      case 'file':
        return this.file(target, mention);
      case 'folder':
        return this.folder(target.path, mention);
      case 'symbol':
        return this.symbol(target, mention);
      case 'problems':
        return this.problems(target.path, mention);
      case 'selection':
        return this.selection(mention);
      case 'terminal':
        return this.terminal(mention);
      case 'git':
        return gitText(this.deps.git, target.what, AbortSignal.timeout(timeoutMs)).then((text) =>
          attachment(mention, text),
        );
      case 'session':
        return this.session(target.sessionId, mention);
      case 'resource':
        return this.resource(target, mention);
      case 'template':
        throw this.gone(mention);
      default:
        return target satisfies never;
    }
  }

  private async file({ path, lines }: TargetOf<'file'>, mention: MentionPart): Promise<SentPart> {
    const place = await this.inside(path, mention);
    if ((await this.deps.files.kindOf(place.path)) === 'directory') return this.folder(path, mention);
    const bytes = await this.bytesOf(place, path, mention);
    return contentOf(bytes, { label: mention.label, source: mention.source, lines });
  }

  private async folder(path: string, mention: MentionPart): Promise<AttachmentPart> {
    const { files, names } = this.deps;
    const place = await this.inside(path, mention);
    if ((await files.kindOf(place.path)) !== 'directory') throw this.gone(mention);
    const listed = await names.fresh();
    const below = place.shown === '.' ? '' : `${place.shown}/`;
    const found = listed.files.flatMap(({ shown }) => (shown.startsWith(below) ? [shown.slice(below.length)] : []));
    return attachment(
      mention,
      found.length === 0
        ? '(There are no files in this folder, or none that are not ignored.)'
        : treeOf(found, listed.limited),
    );
  }

  private async symbol({ path, lines, name }: TargetOf<'symbol'>, mention: MentionPart): Promise<AttachmentPart> {
    const { knowledge, clock } = this.deps;
    const place = await this.inside(path, mention);
    const text = decodeText(await this.bytesOf(place, path, mention));
    const symbols = await within(clock, symbolTimeoutMs, knowledge.documentSymbols(place.path), null);
    const range = symbols === null || symbols.length === 0 ? lines : nearest(symbols, name, lines.from);
    const excerpt = text === null || range === null ? null : excerptOf(text, range);
    // Without a language extension, there is no way to find where the symbol moved.
    if (excerpt === null || range === null || !excerpt.includes(name.replace(/\(.*$/s, ''))) {
      throw new MentionError(
        t('{label} is no longer in {file}. Remove it, or mention it again.', {
          label: mention.label,
          file: place.shown,
        }),
      );
    }
    return {
      kind: 'attachment',
      label: `${name} (${withLines(place.shown, range)})`,
      source: mention.source,
      text: excerpt,
    };
  }

  private async problems(path: string | null, mention: MentionPart): Promise<AttachmentPart> {
    const { knowledge, paths } = this.deps;
    const place = path === null ? null : await this.inside(path, mention);
    const found = knowledge
      .problems(place?.path ?? null)
      .toSorted(
        (a, b) => rank(a.severity) - rank(b.severity) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
      );
    const rows = found.slice(0, mostProblems).map((problem) => problemLine(problem, paths.display(problem.path)));
    const more = found.length > rows.length ? [`(${found.length - rows.length} more problems were left out.)`] : [];
    return attachment(mention, found.length === 0 ? 'The editor reports no problems.' : [...rows, ...more].join('\n'));
  }

  private async selection(mention: MentionPart): Promise<AttachmentPart> {
    const { paths } = this.deps;
    const selection = this.deps.selection();
    if (selection === null)
      throw new MentionError(
        t('Nothing is selected in the editor. Select something, or remove {label}.', { label: mention.label }),
      );
    const shown = selection.isFile ? paths.display(selection.path) : selection.path;
    if (selection.isFile && (await holdsSecrets(this.deps.files, selection.path))) throw this.secret({ label: shown });
    const range = { from: selection.startLine, to: selection.endLine };
    return {
      kind: 'attachment',
      label: withLines(shown, range),
      source: mention.source,
      text: cutTo(selection.text, mostCharacters),
    };
  }

  private async terminal(mention: MentionPart): Promise<AttachmentPart> {
    const found = await this.deps.terminal();
    if (found === null)
      throw new MentionError(
        t('Nothing is selected in the terminal, and Hermes hasn’t run a command in this window. Remove {label}.', {
          label: mention.label,
        }),
      );
    return {
      kind: 'attachment',
      label: found.label,
      source: mention.source,
      text: cutTo(found.text, mostTerminalCharacters, 'tail'),
    };
  }

  private async session(sessionId: string, mention: MentionPart): Promise<AttachmentPart> {
    const text = await sessionText(this.deps.sessions, sessionId);
    if (text === null) throw this.gone(mention);
    return attachment(mention, text);
  }

  private resource({ server, of }: TargetOf<'resource' | 'template'>, mention: MentionPart): Promise<SentPart> {
    const servers = this.deps.servers();
    if (servers === null) throw this.gone(mention);
    return servers.read(server, of, mention);
  }

  /** Resolves a path with its links; the result must be inside the open folders. Files elsewhere were already read
   *  when the user picked them. */
  private async inside(path: string, mention: MentionPart): Promise<AccessPath> {
    const { access } = this.deps;
    const place = await access.resolveAccess(path).catch((error: unknown) => {
      throw error instanceof PathRefused
        ? new MentionError(t('Couldn’t read {label}: {reason}', { label: mention.label, reason: error.message }), {
            cause: error,
          })
        : error;
    });
    if (!place.isInside)
      throw new MentionError(
        t('{label} is outside the open folders. Attach it as a file instead.', { label: mention.label }),
      );
    return place;
  }

  private async bytesOf(place: AccessPath, written: string, mention: MentionPart): Promise<Uint8Array> {
    const { files } = this.deps;
    if ((await files.kindOf(place.path)) !== 'file') throw this.gone(mention);
    if ((isSecret(place.shown) || isSecret(written)) && !this.isTypedInFull(written)) throw this.secret(mention);
    if ((await files.size(place.path)) > maxFileBytes) throw tooLarge(mention.label);
    return files.read(place.path, AbortSignal.timeout(timeoutMs));
  }

  private gone({ label }: Pick<MentionPart, 'label'>): MentionError {
    return new MentionError(t('{label} no longer exists. Remove it, or mention something else.', { label }));
  }

  private secret({ label }: Pick<MentionPart, 'label'>): MentionError {
    return secretRefused(label);
  }
}

export function secretRefused(label: string): MentionError {
  return new MentionError(
    t('{label} may contain secrets, so it wasn’t attached. Type its full name after @ to attach it anyway.', {
      label,
    }),
  );
}

export function tooLarge(label: string): MentionError {
  return new MentionError(
    t('{label} is larger than {size} MB and can’t be attached.', { label, size: String(maxFileBytes / 1024 / 1024) }),
  );
}

/** Turns a file's bytes into a part of a prompt: text or an image. Throws a `MentionError` for anything else. */
export function contentOf(
  bytes: Uint8Array,
  { label, source, lines }: { readonly label: string; readonly source: string; readonly lines: LineRange | null },
): SentPart {
  const mediaType = imageMediaType(bytes);
  if (mediaType !== null) {
    if (bytes.length > maxImageBytes)
      throw new MentionError(
        t('{label} is an image larger than {size} MB, which is too large to send.', {
          label,
          size: String(maxImageBytes / 1024 / 1024),
        }),
      );
    return { kind: 'image', mediaType, dataBase64: Buffer.from(bytes).toString('base64'), name: label };
  }
  if (bytes.length > maxFileBytes) throw tooLarge(label);
  const text = decodeText(bytes);
  if (text === null)
    throw new MentionError(t('{label} isn’t text or a supported image (PNG, JPEG, GIF, or WebP).', { label }));
  const excerpt = excerptOf(text, lines);
  if (excerpt === null) throw new MentionError(t('{label} refers to lines that are no longer in the file.', { label }));
  return { kind: 'attachment', label, source, text: excerpt };
}

function attachment({ label, source }: MentionPart, text: string): AttachmentPart {
  return { kind: 'attachment', label, source, text };
}

/** Lines of the symbol with this name that is nearest to its old line. */
function nearest(symbols: readonly CodeSymbol[], name: string, line: number): LineRange | null {
  const [found] = flattened(symbols)
    .filter((symbol) => symbol.name === name)
    .toSorted((a, b) => Math.abs(a.place.line - line) - Math.abs(b.place.line - line));
  return found === undefined ? null : { from: found.place.line, to: Math.max(found.place.line, found.endLine) };
}

function flattened(symbols: readonly CodeSymbol[]): readonly CodeSymbol[] {
  return symbols.flatMap((symbol) => [symbol, ...flattened(symbol.children)]);
}
