import { t } from '../../base/translate';
import type { FoundMentions, Mention } from '../../protocol/attachmentProtocol';
import { isSecret } from '../../tools/pathTreatment';
import { Pace } from '../workspace/pace';
import type { NameList } from './fileNames';
import { type GitSource, hasRepository, recentLog } from './gitMentions';
import { type MentionDeps, within } from './mentionDeps';
import { type RankedPath, rankedPath, rankOf } from './mentionRank';
import { type LineRange, withLines, withoutLines } from './mentionSource';

interface Ranked {
  readonly mention: Mention;
  readonly rank: number;
}

interface Fitting {
  readonly each: RankedPath;
  readonly rank: number;
}

interface SearchProgress {
  readonly timeoutMs: number;
  /** True when a source did not answer in time. */
  isLate: boolean;
}

/** Milliseconds after which a slow source is left out: the user is typing. */
const timeoutMs = 150;
/** The same limit for a search that waits for the whole result. */
const wholeTimeoutMs = 5000;
/** Milliseconds for which answers of Git are cached, so that Git does not run at every keystroke. */
const logKeptMs = 10_000;
const mostSymbols = 20;
const mostSessions = 8;
const mostResources = 20;
const mostUnaskedResources = 4;
/** Lifts open files above others that match equally well. */
const openBonus = 600;
/** Ranks of suggestions before anything is typed: current work first, then files and folders, then the rest. */
const unasked = { open: 8000, selection: 5000, file: 4000, folder: 3500, session: 3000, elsewhere: 2000 } as const;
/** Maximum number of unopened files and of folders suggested before anything is typed: the rest must stay visible. */
const mostUnaskedFiles = 8;
const mostUnaskedFolders = 4;

/** Searches for things that can be mentioned. */
export class MentionSearch {
  /** Files that may hold secrets and whose whole names were typed. */
  private readonly typedInFull = new Set<string>();

  constructor(private readonly deps: MentionDeps) {}

  /** True when the user typed the whole path of a file in this window. */
  isTypedInFull(path: string): boolean {
    return this.typedInFull.has(path);
  }

  /** Results are best first. Ends soon after `signal` is aborted, with the results so far. Leaves out slow sources
   *  (the first file list of a window, Git) and marks the result as incomplete, unless the `whole` is requested. */
  async search(text: string, limit: number, signal: AbortSignal, whole = false): Promise<FoundMentions> {
    const written = text.trim();
    const typed = written.toLowerCase();
    const { clock } = this.deps;
    const soon = <T>(work: Promise<T>, otherwise: T): Promise<T> => within(clock, timeoutMs, work, otherwise);
    const isSymbol = typed.startsWith('#');
    const progress: SearchProgress = { timeoutMs: whole ? wholeTimeoutMs : timeoutMs, isLate: false };
    const [list, symbols, sessions, commits, isRepository] = await Promise.all([
      this.names(isSymbol, progress),
      soon(this.symbols(typed), []),
      isSymbol ? [] : soon(this.sessions(typed), []),
      isSymbol ? [] : this.known(this.commits(typed), [], progress),
      this.mayMeanGit(typed) ? this.known(this.isRepository(), false, progress) : false,
    ]);
    const found = isSymbol
      ? []
      : [
          ...this.fixed(typed, isRepository),
          ...(await this.files(list, written, limit, signal)),
          ...this.resources(typed),
        ];
    const mentions = [...found, ...symbols, ...sessions, ...commits]
      .sort((a, b) => b.rank - a.rank)
      .slice(0, limit)
      .map(({ mention }) => mention);
    return { mentions, isWhole: whole || !progress.isLate };
  }

  /** Returns the previous list when the new one is late: it serves as well. */
  private names(isSymbol: boolean, progress: SearchProgress): Promise<NameList> {
    const { clock, names } = this.deps;
    if (isSymbol) return Promise.resolve(names.current);
    const fresh = names.fresh();
    return names.current.files.length === 0
      ? this.known(fresh, names.current, progress)
      : within(clock, timeoutMs, fresh, names.current);
  }

  /** Resolves with the result of `work` if it comes within the timeout of this search. Otherwise resolves with
   *  `otherwise`; records that it was late, unless it failed. */
  private async known<T>(work: Promise<T>, otherwise: T, progress: SearchProgress): Promise<T> {
    const settled = work.then(
      (found) => ({ found }),
      () => ({ found: otherwise }),
    );
    const inTime = await within(this.deps.clock, progress.timeoutMs, settled, null);
    progress.isLate ||= inTime === null;
    return inTime === null ? otherwise : inTime.found;
  }

  private async files(list: NameList, written: string, limit: number, signal: AbortSignal): Promise<readonly Ranked[]> {
    const { path, lines } = withoutLines(written);
    const typed = path.toLowerCase().replace(/^\.\//, '').replaceAll('\\', '/');
    const open = this.openFiles();
    const isOpen = ({ shown }: RankedPath): boolean => open.has(shown);
    // Open files count even if no listing contains them (an ignored file).
    if (typed === '') return this.unaskedFiles(list, open, limit);
    const files = [...open.values(), ...list.files.filter((each) => !isOpen(each))];
    const fitting = await this.fitting(files, typed, signal, (each, rank) => rank + (isOpen(each) ? openBonus : 0));
    const folders = await this.fitting(list.folders, typed, signal, (_each, rank) => rank - 300);
    // Check only the best matches for secrets: that takes longer than ranking.
    return [
      ...first(fitting, limit, ({ shown }) => this.isOffered(shown, path)).map(({ each, rank }) => ({
        mention: this.fileMention(each.shown, lines, isOpen(each)),
        rank,
      })),
      ...folders.slice(0, limit).map(({ each, rank }) => ({ mention: this.folderMention(each.shown), rank })),
    ];
  }

  /** Open files in the order of their editors, then files and folders nearest to the root. */
  private unaskedFiles(list: NameList, open: ReadonlyMap<string, RankedPath>, limit: number): readonly Ranked[] {
    const offered = (paths: Iterable<RankedPath>): readonly string[] =>
      [...paths].map(({ shown }) => shown).filter((shown) => this.isOffered(shown, ''));
    const nearest = (paths: readonly RankedPath[], most: number): readonly string[] =>
      offered(paths.toSorted((a, b) => depthOf(a) - depthOf(b)).slice(0, 4 * most)).slice(0, most);
    return [
      ...offered(open.values())
        .slice(0, limit)
        .map((shown, index) => ({ mention: this.fileMention(shown, null, true), rank: unasked.open - index })),
      ...nearest(
        list.files.filter(({ shown }) => !open.has(shown) && !isHidden(shown)),
        mostUnaskedFiles,
      ).map((shown, index) => ({ mention: this.fileMention(shown, null, false), rank: unasked.file - index })),
      ...nearest(
        list.folders.filter(({ shown }) => !isHidden(shown)),
        mostUnaskedFolders,
      ).map((shown, index) => ({ mention: this.folderMention(shown), rank: unasked.folder - index })),
    ];
  }

  /** Matches, best first. After the signal is aborted, the matches so far. */
  private async fitting(
    paths: readonly RankedPath[],
    typed: string,
    signal: AbortSignal,
    weigh: (each: RankedPath, rank: number) => number,
  ): Promise<readonly Fitting[]> {
    const found: Fitting[] = [];
    const pace = new Pace();
    for (const [index, each] of paths.entries()) {
      if (index % 500 === 0) await pace.breathe(signal).catch(() => undefined);
      if (signal.aborted) break;
      const rank = rankOf(each, typed);
      if (rank !== null) found.push({ each, rank: weigh(each, rank) });
    }
    return found.sort((a, b) => b.rank - a.rank);
  }

  private isOffered(shown: string, typed: string): boolean {
    if (!isSecret(shown)) return true;
    if (shown !== typed) return false;
    this.typedInFull.add(shown);
    return true;
  }

  private fileMention(shown: string, lines: LineRange | null, isOpen: boolean): Mention {
    return {
      source: `file:${withLines(shown, lines)}`,
      label: withLines(shown, lines),
      detail: isOpen ? t('open') : '',
      kind: 'file',
    };
  }

  private folderMention(shown: string): Mention {
    return { source: `folder:${shown.slice(0, -1)}`, label: shown, detail: t('folder'), kind: 'folder' };
  }

  /** Open editors' files that are inside the open folders. */
  private openFiles(): ReadonlyMap<string, RankedPath> {
    const { knowledge, paths } = this.deps;
    const shown = knowledge
      .openEditors()
      .editors.filter(({ isFile }) => isFile)
      .map(({ path }) => ({ path, shown: paths.display(path) }));
    return new Map(
      shown.filter((each) => each.shown !== each.path).map((each) => [each.shown, rankedPath(each.shown)]),
    );
  }

  /** Single items: problems, the selection, the terminal, Git. Offers only those that exist: a suggestion that
   *  cannot be read is in the way. */
  private fixed(typed: string, isRepository: boolean): readonly Ranked[] {
    return this.fixedMentions(isRepository).flatMap(({ words, ...mention }, index) => {
      if (typed === '')
        return [
          {
            mention,
            rank:
              (mention.kind === 'terminal' || mention.kind === 'git' ? unasked.elsewhere : unasked.selection) - index,
          },
        ];
      const names = [mention.label, ...words].map((name) => name.toLowerCase());
      const isBeginning = names.some((name) => name.startsWith(typed) || typed === `${name}:`);
      return isBeginning
        ? [{ mention, rank: 10_500 - index }]
        : names.some((name) => name.includes(typed))
          ? [{ mention, rank: 6500 - index }]
          : [];
    });
  }

  private fixedMentions(isRepository: boolean): readonly (Mention & { readonly words: readonly string[] })[] {
    const { knowledge, paths } = this.deps;
    const selection = this.deps.selection();
    const problems = knowledge.problems(null);
    const active = knowledge.openEditors().editors.find(({ isActive, isFile }) => isActive && isFile)?.path;
    const here = active === undefined ? '' : paths.display(active);
    const ofActive = active === undefined || here === active ? 0 : knowledge.problems(active).length;
    const place =
      selection === null
        ? ''
        : withLines(selection.isFile ? paths.display(selection.path) : selection.path, {
            from: selection.startLine,
            to: selection.endLine,
          });
    type Offer = readonly [isThere: boolean, kind: Mention['kind'], source: string, detail: string, ...words: string[]];
    const offers: readonly (readonly [label: string, ...Offer])[] = [
      [t('selection'), selection !== null && !isSecret(selection.path), 'selection', 'selection', place, 'selection'],
      [
        t('problems'),
        problems.length > 0,
        'problems',
        'problems',
        t('{count} in all files', { count: String(problems.length) }),
        'problems',
      ],
      [
        t('problems in {file}', { file: here }),
        ofActive > 0,
        'problems',
        `problems:${here}`,
        String(ofActive),
        'problems',
        here,
      ],
      [
        t('terminal'),
        this.deps.hasTerminal(),
        'terminal',
        'terminal',
        t('terminal selection, or the output of the last command'),
        'terminal',
      ],
      [t('git changes'), isRepository, 'git', 'git:diff', t('changes since the last commit'), 'git', 'diff', 'changes'],
      [t('git status'), isRepository, 'git', 'git:status', t('list of changed files'), 'git', 'status'],
    ];
    return offers.flatMap(([label, isThere, kind, source, detail, ...words]) =>
      isThere ? [{ source, label, detail, kind, words }] : [],
    );
  }

  private async symbols(typed: string): Promise<readonly Ranked[]> {
    const query = typed.replace(/^#/, '');
    if (query.length < (typed.startsWith('#') ? 1 : 3) || /[/.:\s]/.test(query)) return [];
    const { knowledge, paths } = this.deps;
    const found = await knowledge.workspaceSymbols(query);
    return found
      .flatMap((symbol): readonly Ranked[] => {
        const shown = paths.display(symbol.place.path);
        const rank = rankOf(rankedPath(symbol.name.replaceAll('/', '.')), query);
        if (rank === null || shown === symbol.place.path || isSecret(shown)) return [];
        const source = `symbol:${withLines(shown, { from: symbol.place.line, to: symbol.endLine })}#${symbol.name}`;
        return [
          {
            mention: {
              source,
              label: symbol.name,
              detail: `${symbol.kind} · ${shown}:${symbol.place.line}`,
              kind: 'symbol',
            },
            rank: rank - 400,
          },
        ];
      })
      .sort((a, b) => b.rank - a.rank)
      .slice(0, mostSymbols);
  }

  /** Of the servers that run by now. What has changed since it was read comes first. */
  private resources(typed: string): readonly Ranked[] {
    const servers = this.deps.servers();
    servers?.start();
    return (servers?.resources() ?? [])
      .flatMap(({ isChanged, ...mention }): readonly Ranked[] => {
        const names = [mention.label, mention.label.replace(/^[^:]*: /, ''), 'resource', 'mcp'];
        const isBeginning = names.some((name) => name.toLowerCase().startsWith(typed));
        const rank =
          typed === ''
            ? unasked.elsewhere
            : isBeginning
              ? 8500
              : `${mention.label} ${mention.source} ${mention.detail}`.toLowerCase().includes(typed)
                ? 4300
                : null;
        if (rank === null) return [];
        const detail = isChanged
          ? t('changed since it was read · {detail}', { detail: mention.detail })
          : mention.detail;
        return [{ mention: { ...mention, detail }, rank: rank + (isChanged ? 400 : 0) }];
      })
      .sort((a, b) => b.rank - a.rank)
      .slice(0, typed === '' ? mostUnaskedResources : mostResources)
      .map((each, index) => ({ ...each, rank: each.rank - index }));
  }

  /** Leaves out private sessions: mentioned content is sent wherever the prompt is sent. */
  private async sessions(typed: string): Promise<readonly Ranked[]> {
    const { sessions } = this.deps;
    const word = typed.replace(/^session:?\s*/, '');
    const found = await sessions.listSessions({
      limit: typed === '' ? 3 : mostSessions,
      withoutPrivate: true,
      ...(word === '' ? {} : { text: word }),
    });
    return found.map(({ id, title, preview }, index) => {
      const label = title ?? preview ?? id;
      const rank =
        typed === '' ? unasked.session - index : label.toLowerCase().startsWith(word) ? 7500 - index : 4500 - index;
      return { mention: { source: `session:${id}`, label, detail: t('session'), kind: 'session' }, rank };
    });
  }

  private async commits(typed: string): Promise<readonly Ranked[]> {
    const word = typed.replace(/^git:?\s*/, '');
    const isAsked = word !== typed;
    if (!isAsked && word.length < 4) return [];
    const commits = await this.recentCommits();
    return commits.flatMap(({ hash, subject }, index): readonly Ranked[] => {
      const rank =
        hash.startsWith(word) && word !== ''
          ? 9500
          : subject.toLowerCase().includes(word)
            ? isAsked
              ? 8500
              : 4200
            : null;
      return rank === null
        ? []
        : [{ mention: { source: `git:${hash}`, label: hash, detail: subject, kind: 'git' }, rank: rank - index }];
    });
  }

  /** True when the typed text may be the beginning of a Git mention. The repository is looked up only then. */
  private mayMeanGit(typed: string): boolean {
    return ['git:', 'git diff', 'git changes', 'git status', t('git changes'), t('git status')].some((words) =>
      words.toLowerCase().includes(typed),
    );
  }

  private readonly isRepository = this.cached(hasRepository);
  private readonly recentCommits = this.cached(recentLog);

  private cached<T>(read: (git: GitSource, signal: AbortSignal) => Promise<T>): () => Promise<T> {
    let last: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
    return () => {
      const now = this.deps.clock.monotonicMs();
      if (last === null || now - last.atMs > logKeptMs)
        last = { atMs: now, answer: read(this.deps.git, AbortSignal.timeout(logKeptMs)) };
      return last.answer;
    };
  }
}

/** True when the file or one of its folders begins with a dot. A user who has typed nothing rarely looks for these. */
function isHidden(shown: string): boolean {
  return /(?:^|\/)\./.test(shown);
}

function depthOf({ folded }: RankedPath): number {
  return folded.replace(/\/$/, '').split('/').length;
}

/** The first `limit` entries that are accepted. */
function first(fitting: readonly Fitting[], limit: number, accepts: (each: RankedPath) => boolean): readonly Fitting[] {
  const taken: Fitting[] = [];
  for (const one of fitting) {
    if (taken.length === limit) break;
    if (accepts(one.each)) taken.push(one);
  }
  return taken;
}
