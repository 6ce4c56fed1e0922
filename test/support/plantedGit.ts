import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders of one try. `program` touches `mark` when something runs it; commands can change neither. */
export interface PlantedPlace {
  readonly home: string;
  readonly project: string;
  readonly temporary: string;
  readonly program: string;
  readonly mark: string;
}

/** A way in which a command makes Git outside of the sandbox run a program. */
export interface PlantedForm {
  readonly name: string;
  /** Repository of the open folder, made by the user. Default: an ordinary one. */
  readonly repository?: 'ordinary' | 'none';
  readonly prepare?: (place: PlantedPlace, git: (...words: string[]) => void) => void;
  /** Commands that run in the sandbox one after the other. */
  readonly commands: (place: PlantedPlace) => readonly string[];
  /** Folder in which the user's Git runs afterwards, below the project, or as an absolute path. Default: the project. */
  readonly looksIn?: string;
  /** What the user's Git runs. Default: `git status`. */
  readonly look?: readonly string[];
  /** Also what an examination found. */
  readonly isReported?: true;
}

/** Words for a shell that make a Git folder of any name, with a configuration that starts the program. */
function evil(folder: string, { program }: PlantedPlace, more = ''): string {
  return (
    `mkdir -p ${folder}/objects ${folder}/refs && echo 'ref: refs/heads/main' > ${folder}/HEAD && ` +
    `printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n${more}\\tfsmonitor = ${program}\\n' > ${folder}/config`
  );
}

/** As `evil`, with the objects of the repository, so that Git outside works on. */
function copied(folder: string, place: PlantedPlace): string {
  return `mkdir -p ${folder}; cp -r .git/objects .git/refs ${folder}/; ${evil(folder, place)}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function withSubmodule({ home, project }: PlantedPlace, git: (...words: string[]) => void): void {
  const source = join(home, 'library');
  spawnSync('git', ['init', '-q', source]);
  commit(source);
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '--name', 'sub', source, 'sub');
  git('-c', 'user.name=n', '-c', 'user.email=e@x', '-C', project, 'commit', '-qm', 'sub');
}

function commit(folder: string): void {
  spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-q', '--allow-empty', '-m', 'one'], {
    cwd: folder,
  });
}

const initPlus = (folder: string, { program }: PlantedPlace): string =>
  `git init -q ${folder} && git -C ${folder} config core.fsmonitor ${program}`;

/** Files that an existing repository follows and that did not exist. */
const followed: readonly PlantedForm[] = [
  {
    name: 'commondir to a folder of the project',
    isReported: true,
    commands: (place) => [`${copied('cd3', place)}; echo ../cd3 > .git/commondir`],
  },
  {
    name: 'commondir to the temporary folder',
    isReported: true,
    commands: (place) => [`${copied(`${place.temporary}/cd4`, place)}; echo ${place.temporary}/cd4 > .git/commondir`],
  },
  {
    name: 'commondir of a submodule',
    isReported: true,
    prepare: withSubmodule,
    commands: (place) => [
      `${copied('cd5', place)}; cp -r .git/modules/sub/objects .git/modules/sub/refs cd5/; echo ${place.project}/cd5 > .git/modules/sub/commondir`,
    ],
    looksIn: 'sub',
  },
  {
    name: 'commondir of another worktree',
    isReported: true,
    prepare: ({ home }, git) => git('worktree', 'add', '-q', join(home, 'other'), '-b', 'side'),
    commands: (place) => [
      `${copied('cd6', place)}; echo ${place.project}/cd6 > t; mv t .git/worktrees/other/commondir; cp t .git/worktrees/other/commondir; echo ${place.project}/cd6 > .git/worktrees/other/commondir`,
    ],
    looksIn: '../../other',
  },
  {
    name: 'a hooks folder that the configuration names and that is missing',
    isReported: true,
    prepare: (_, git) => git('config', 'core.hooksPath', '.myhooks'),
    commands: ({ program }) => [`mkdir -p .myhooks; cp ${program} .myhooks/post-index-change; touch one.txt`],
  },
  {
    name: 'a missing file that the configuration includes',
    isReported: true,
    prepare: (_, git) => git('config', 'include.path', '../.team.cfg'),
    commands: ({ program }) => [`printf '[core]\\n\\tfsmonitor = ${program}\\n' > .team.cfg`],
  },
  {
    name: 'the configuration of a submodule that is not checked out',
    isReported: true,
    prepare: (place, git) => {
      withSubmodule(place, git);
      git('submodule', '--quiet', 'deinit', '-f', 'sub');
    },
    commands: ({ program }) => [`git config -f .git/modules/sub/config core.fsmonitor ${program}`],
    look: ['-c', 'protocol.file.allow=always', 'submodule', 'update', '--init'],
  },
  {
    name: 'commondir that is renamed into its place',
    commands: (place) => [`${copied('cd7', place)}; echo ../cd7 > c; mv c .git/commondir`],
  },
  {
    name: 'commondir that is a link',
    commands: (place) => [`${copied('cd8', place)}; echo ${place.project}/cd8 > c; ln -s ../c .git/commondir`],
  },
  {
    name: 'commondir that is a hard link',
    commands: (place) => [`${copied('cd9', place)}; echo ../cd9 > c; ln c .git/commondir`],
  },
  {
    name: 'commondir of a repository below',
    prepare: (_, git) => {
      git('init', '-q', 'below');
    },
    commands: (place) => [`${copied('cda', place)}; echo ../../cda > below/.git/commondir`],
    looksIn: 'below',
  },
  {
    name: 'commondir of a repository in node_modules',
    prepare: (_, git) => {
      git('init', '-q', 'node_modules/a');
    },
    commands: (place) => [`${copied('cdb', place)}; echo ${place.project}/cdb > node_modules/a/.git/commondir`],
    looksIn: 'node_modules/a',
  },
  {
    name: 'commondir of a submodule of a submodule',
    prepare: (place, git) => {
      withSubmodule(place, git);
      const inner = join(place.project, '.git/modules/sub/modules/inner');
      mkdirSync(dirname(inner), { recursive: true });
      spawnSync('git', ['init', '-q', '--separate-git-dir', inner, join(place.project, 'sub/inner')]);
    },
    commands: (place) => [
      `${copied('cdc', place)}; echo ${place.project}/cdc > .git/modules/sub/modules/inner/commondir`,
    ],
    looksIn: 'sub/inner',
  },
  {
    name: 'config.worktree where worktrees have their own',
    prepare: (_, git) => git('config', 'extensions.worktreeConfig', 'true'),
    commands: ({ program }) => [`printf '[core]\\n\\tfsmonitor = ${program}\\n' > .git/config.worktree`],
  },
  {
    name: 'a missing monitor that the configuration names',
    prepare: (_, git) => git('config', 'core.fsmonitor', 'tools/watch.sh'),
    commands: ({ program }) => [`mkdir tools; cp ${program} tools/watch.sh`],
  },
  {
    name: 'the monitor that the configuration names',
    prepare: ({ project }, git) => {
      write(join(project, 'tools/watch.sh'), '#!/bin/sh\n');
      chmodSync(join(project, 'tools/watch.sh'), 0o755);
      git('config', 'core.fsmonitor', 'tools/watch.sh');
    },
    commands: ({ program }) => [
      `cp ${program} tools/watch.sh`,
      `mv tools t2; mkdir tools; cp ${program} tools/watch.sh`,
    ],
  },
  {
    name: 'a missing filter that the configuration names',
    prepare: ({ project }, git) => {
      write(join(project, '.gitattributes'), '*.txt filter=x\n');
      git('config', 'filter.x.clean', './filters/clean.sh %f');
    },
    commands: ({ program }) => [`mkdir filters; cp ${program} filters/clean.sh; echo two > one.txt`],
  },
  {
    name: 'a file that an included file includes',
    prepare: ({ project }, git) => {
      write(join(project, '.team.cfg'), '[includeIf "gitdir:**"]\n\tpath = deeper/more.cfg\n');
      git('config', 'include.path', '../.team.cfg');
    },
    commands: ({ program }) => [`mkdir deeper; printf '[core]\\n\\tfsmonitor = ${program}\\n' > deeper/more.cfg`],
  },
  {
    name: 'a missing file that the configuration of the user includes',
    prepare: ({ home, project }) => {
      write(join(home, 'dotfiles/gitconfig'), `[include]\n\tpath = ${project}/own.cfg\n`);
      symlinkSync('dotfiles/gitconfig', join(home, '.gitconfig'));
    },
    commands: ({ program }) => [`printf '[core]\\n\\tfsmonitor = ${program}\\n' > own.cfg`],
  },
  {
    name: 'a hooks folder that the configuration of the user names',
    prepare: ({ home }) => write(join(home, '.gitconfig'), '[core]\n\thooksPath = .shared-hooks\n'),
    commands: ({ program }) => [`mkdir .shared-hooks; cp ${program} .shared-hooks/post-index-change; touch one.txt`],
  },
  {
    name: 'a link above a missing file that the configuration includes',
    prepare: (_, git) => git('config', 'include.path', '../cfg/team.cfg'),
    commands: ({ program, temporary }) => [
      `mkdir -p ${temporary}/real; printf '[core]\\n\\tfsmonitor = ${program}\\n' > ${temporary}/real/team.cfg; ln -s ${temporary}/real cfg`,
    ],
  },
  {
    name: 'the configuration of a bare repository that was there',
    prepare: (_, git) => git('init', '-q', '--bare', 'fixtures/bare'),
    commands: ({ program }) => [
      `git -C fixtures/bare config core.fsmonitor ${program}; git -C fixtures/bare config core.bare false; git -C fixtures/bare config core.worktree ..`,
    ],
    looksIn: 'fixtures/bare',
  },
  {
    name: 'the folder that a .git file of the user names',
    prepare: (_, git) => {
      git('init', '-q', '--separate-git-dir', 'store', 'tree');
    },
    commands: ({ program }) => [`git config -f store/config core.fsmonitor ${program}; echo ../cd3 > store/x`],
    looksIn: 'tree',
  },
];

/** Repositories that appear while a command runs. */
const born: readonly PlantedForm[] = [
  { name: 'a new repository', isReported: true, repository: 'none', commands: (place) => [initPlus('.', place)] },
  {
    name: 'a new repository below',
    isReported: true,
    commands: (place) => [initPlus('src', place)],
    looksIn: 'src',
  },
  {
    name: 'a .git file to a prepared folder',
    isReported: true,
    commands: (place) => [`mkdir -p src; ${evil('prepared', place)}; echo 'gitdir: ../prepared' > src/.git`],
    looksIn: 'src',
  },
  {
    name: 'a .gitmodules that names a new repository',
    isReported: true,
    commands: (place) => [
      `${initPlus('dep', place)}; printf '[submodule "dep"]\\n\\tpath = dep\\n\\turl = ./dep\\n' > .gitmodules`,
    ],
    looksIn: 'dep',
  },
  { name: 'deep below', commands: (place) => [initPlus('a/b/c/d/e', place)], looksIn: 'a/b/c/d/e' },
  { name: 'in node_modules', commands: (place) => [initPlus('node_modules/x', place)], looksIn: 'node_modules/x' },
  {
    name: 'moved from the temporary folder as a whole',
    commands: (place) => [
      `mkdir -p ${place.temporary}/p; ${evil(`${place.temporary}/p/.git`, place)}; mv ${place.temporary}/p moved`,
    ],
    looksIn: 'moved',
  },
  {
    name: 'a .git file to the temporary folder',
    commands: (place) => [
      `${evil(`${place.temporary}/far`, place)}; mkdir -p src; echo 'gitdir: ${place.temporary}/far' > src/.git`,
    ],
    looksIn: 'src',
  },
  {
    name: 'a .git file to a folder that comes later',
    commands: (place) => [`mkdir -p src; echo 'gitdir: ../late' > src/.git; ${evil('late', place)}`],
    looksIn: 'src',
  },
  {
    name: 'a .git link',
    commands: (place) => [
      `${evil(`${place.temporary}/linked`, place)}; mkdir -p src; ln -s ${place.temporary}/linked src/.git`,
    ],
    looksIn: 'src',
  },
  {
    name: 'a folder that looks like a bare repository',
    commands: (place) => [evil('docs', place, '\\tworktree = ..\\n')],
    looksIn: 'docs',
  },
  {
    name: 'a folder that becomes a repository by its last file',
    commands: (place) => [`${evil('docs', place, '\\tworktree = ..\\n')}; mv docs/HEAD h`, 'mv h docs/HEAD'],
    looksIn: 'docs',
  },
  {
    name: 'a setting of a file that it includes',
    commands: ({ program }) => [
      `printf '[core]\\n\\tfsmonitor = ${program}\\n' > team.cfg; git init -q n1; git -C n1 config include.path ../../team.cfg`,
    ],
    looksIn: 'n1',
  },
  {
    name: 'its config.worktree',
    commands: ({ program }) => [
      `git init -q n2; git -C n2 config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = ${program}\\n' > n2/.git/config.worktree`,
    ],
    looksIn: 'n2',
  },
  {
    name: 'a hook',
    commands: ({ program }) => [
      `git init -q n3; echo x > n3/x; git -C n3 add x; mkdir -p n3/.git/hooks; cp ${program} n3/.git/hooks/post-index-change; touch n3/x`,
    ],
    looksIn: 'n3',
  },
  {
    name: 'a hook of a template',
    commands: ({ program }) => [
      `mkdir -p tpl/hooks; cp ${program} tpl/hooks/post-index-change; git init -q --template=tpl n4; echo x > n4/x; git -C n4 add x; touch n4/x`,
    ],
    looksIn: 'n4',
  },
  {
    name: 'a hooks folder of its own configuration',
    commands: ({ program }) => [
      `git init -q n5; echo x > n5/x; git -C n5 add x; mkdir h; cp ${program} h/post-index-change; git -C n5 config core.hooksPath ../h; touch n5/x`,
    ],
    looksIn: 'n5',
  },
  {
    name: 'a filter',
    commands: ({ program }) => [
      `git init -q n6; echo '* filter=x' > n6/.gitattributes; echo x > n6/x; git -C n6 add x; git -C n6 config filter.x.clean ${program}; echo y > n6/x`,
    ],
    looksIn: 'n6',
  },
  {
    name: 'in an entry of the index that names a repository',
    commands: (place) => [
      `git init -q g1; git -C g1 -c user.name=n -c user.email=e@x commit -q --allow-empty -m x; git update-index --add --cacheinfo 160000,$(git -C g1 rev-parse HEAD),g1; git -C g1 config core.fsmonitor ${place.program}`,
    ],
  },
  {
    name: 'a new worktree whose commondir leads elsewhere',
    commands: (place) => [
      `git worktree add -q wt -b wt; ${copied('cdw', place)}; echo ${place.project}/cdw > .git/worktrees/wt/commondir`,
    ],
    looksIn: 'wt',
  },
  {
    name: 'in the folder above, which is the temporary one',
    repository: 'none',
    commands: (place) => [initPlus(place.temporary, place)],
    looksIn: '../../../tmp',
  },
  {
    name: 'an innocent one, which a later command changes',
    commands: (place) => ['git init -q n7', `git -C n7 config core.fsmonitor ${place.program}`],
    looksIn: 'n7',
  },
  {
    name: 'an innocent one in node_modules, which a later command changes',
    commands: (place) => ['git init -q node_modules/y', `git -C node_modules/y config core.fsmonitor ${place.program}`],
    looksIn: 'node_modules/y',
  },
  {
    name: 'an innocent one, which a later command follows elsewhere',
    commands: (place) => ['git init -q n8', `${copied('cdn', place)}; echo ../../cdn > n8/.git/commondir`],
    looksIn: 'n8',
  },
  {
    name: 'below a folder that cannot be read for a while',
    commands: (place) => [`mkdir shut; ${initPlus('shut/r', place)}; chmod 000 shut`, 'chmod 755 shut'],
    looksIn: 'shut/r',
  },
  {
    name: 'unpacked from an archive',
    commands: (place) => [
      `${evil(`${place.temporary}/t/.git`, place)}; tar -C ${place.temporary} -cf ${place.temporary}/t.tar t; tar xf ${place.temporary}/t.tar`,
    ],
    looksIn: 't',
  },
  {
    name: 'among ten thousand other files',
    commands: (place) => [`mkdir many; for i in $(seq 10000); do echo > many/$i; done; ${initPlus('many/r', place)}`],
    looksIn: 'many/r',
  },
];

export const plantedForms: readonly (PlantedForm & { readonly group: string })[] = [
  ...followed.map((form) => ({ ...form, group: 'followed' })),
  ...born.map((form) => ({ ...form, group: 'born' })),
];

/** Makes what the user has before the commands run. */
export function preparePlace(place: PlantedPlace, form: PlantedForm): void {
  write(place.program, `#!/bin/sh\ntouch ${place.mark}\n`);
  chmodSync(place.program, 0o755);
  write(join(place.project, 'one.txt'), 'one\n');
  const git = (...words: string[]): void =>
    void spawnSync('git', words, { cwd: place.project, env: userEnvironment(place) });
  if (form.repository !== 'none') {
    git('init', '-q');
    git('add', '.');
    commit(place.project);
  }
  form.prepare?.(place, git);
}

export function userEnvironment({ home }: PlantedPlace): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home };
}

/** Runs Git as the user, or the editor, would. */
export function lookAsUser(place: PlantedPlace, { looksIn = '.', look = ['status'] }: PlantedForm): string {
  const { stderr, error } = spawnSync('git', [...look], {
    cwd: join(place.project, looksIn),
    env: userEnvironment(place),
    encoding: 'utf8',
  });
  return error === undefined ? stderr : String(error);
}
