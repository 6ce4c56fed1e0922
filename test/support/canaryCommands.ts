import { examinedCommands } from './examinedCommands';

/** What a hostile command goes for, as shell words in which `~` is the home folder and `$P` the open folder. */
const writable: readonly string[] = [
  '$P/.git/hooks/pre-commit',
  '$P/.git/config',
  '$P/.vscode/tasks.json',
  '$P/.husky/pre-commit',
  '$P/AGENTS.md',
  '~/.bashrc',
  '~/.profile',
  '~/.ssh/authorized_keys',
  '~/.npmrc',
  '~/.gitconfig',
  '~/.config/autostart/x.desktop',
  '~/.local/bin/git',
  '~/.config/Code/User/settings.json',
  '~/.config/Code/User/globalStorage/hermes/state.db',
  '~/code/other/index.js',
  '~/Documents/letter.txt',
];
const readable: readonly string[] = [
  '$P/.env',
  '$P/config/credentials.json',
  '~/.ssh/id_rsa',
  '~/.aws/credentials',
  '~/.netrc',
  '~/.config/gh/hosts.yml',
  '~/.config/Code/User/globalStorage/hermes/state.db',
  '~/Documents/letter.txt',
  '~/code/other/index.js',
];

/** Each writes the word `pwned` into the place `T`. */
const writers: readonly string[] = [
  'echo pwned > T',
  'echo pwned >> T',
  'echo pwned | tee -a T',
  'echo pwned > x && cp x T',
  'echo pwned > x && mv -f x T',
  'echo pwned > x && install -m 755 x T',
  'echo pwned > x && ln -f x T',
  'echo pwned | dd of=T',
  "sed -i '1i pwned' T",
  "sed -i '$a pwned' T",
  `node -e "require('fs').writeFileSync('T','pwned')"`,
  `python3 -c "open('T','w').write('pwned')"`,
  `perl -e 'open(F,">","T");print F "pwned"'`,
  'bash -c "echo pwned > T"',
  'sh -c "exec 3>T; echo pwned >&3"',
  'awk \'BEGIN{print "pwned" > "T"}\'',
  'mkdir -p "$(dirname T)"; echo pwned > T',
  'ln -s T l && echo pwned > l',
  'mv "$(dirname T)" gone; mkdir -p "$(dirname T)"; echo pwned > T',
  'rm -rf T; echo pwned > T',
  'echo pwned > x; rsync x T',
  'echo pwned > x; tar cf x.tar x; tar xf x.tar -C "$(dirname T)"; mv "$(dirname T)/x" T',
  'cd "$(dirname T)" && echo pwned > "$(basename T)"',
  'echo pwned | sort -o T',
  'git config -f T core.pager pwned',
  'truncate -s 0 T; echo pwned >> T',
  'env -i /bin/sh -c "echo pwned > T"',
  '(setsid sh -c "sleep 0.1; echo pwned > T" &) ; sleep 0.3',
];

/** Each puts what stands in `T` on its output. */
const readers: readonly string[] = [
  'cat T',
  'head -c 99 T',
  'grep -a "" T',
  'base64 T | base64 -d',
  'tar cf - T 2>/dev/null | cat',
  `node -p "require('fs').readFileSync('T','utf8')"`,
  `python3 -c "print(open('T').read())"`,
  `perl -pe1 T`,
  'cp T copied; cat copied',
  'ln -s T linked; cat linked',
  'dd if=T 2>/dev/null',
  'sh -c "cat < T"',
  'cat /proc/self/root/T',
  'cd "$(dirname T)" && cat "$(basename T)"',
  'while read -r line; do echo "$line"; done < T',
  'git diff --no-index /dev/null T',
  'sed -n p T',
  'awk 1 T',
  'sort T',
  'strings T',
];

/** Each asks a server of this machine; `A` stands for its address. */
const askers: readonly string[] = [
  'curl -s -m 3 http://A/',
  "curl -s -m 3 --noproxy '*' http://A/",
  `node -e "fetch('http://A/').then(r=>r.text()).then(console.log,()=>0)"`,
  `python3 -c "import urllib.request as u;print(u.urlopen('http://A/',timeout=3).read())"`,
  'wget -q -T 3 -O- http://A/',
  'bash -c "exec 3<>/dev/tcp/H/N; echo GET / >&3; cat <&3"',
  'git ls-remote http://A/x.git',
  'unset HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy; curl -s -m 3 http://A/',
  'curl -s -m 3 -x "$HTTP_PROXY" http://A/',
  'curl -s -m 3 --proxy socks5h://localhost:1080 http://A/',
  "python3 -c \"import socket;s=socket.create_connection(('H',N),3);s.send(b'GET / HTTP/1.0\\r\\n\\r\\n');print(s.recv(99))\"",
  'env -i /usr/bin/curl -s -m 3 http://A/',
];
const hosts: readonly string[] = ['127.0.0.1', 'localhost', '0.0.0.0', '127.1', '2130706433'];

/** Ways out of a sandbox, each of which would write the home folder or end a process of the person's. */
const escapes: readonly string[] = [
  'unshare -Ur sh -c "mount -o remount,rw / ; echo pwned > ~/.bashrc"',
  'unshare -m sh -c "umount -l ~/.bashrc; echo pwned > ~/.bashrc"',
  'mount -o remount,rw,bind / /; echo pwned > ~/.bashrc',
  'mount --bind /tmp ~; echo pwned > ~/.bashrc',
  'nsenter -t 1 -m sh -c "echo pwned > ~/.bashrc"',
  'chroot /proc/1/root sh -c "echo pwned > ~/.bashrc"',
  'echo pwned > /proc/1/root$HOME/.bashrc',
  'echo pwned > /proc/$PPID/root$HOME/.bashrc',
  'echo pwned > /proc/self/cwd/../../.bashrc',
  'mknod d b 8 0; cat d',
  'chmod 777 ~/.bashrc; echo pwned > ~/.bashrc',
  'chattr -i ~/.bashrc; echo pwned > ~/.bashrc',
  'sudo -n sh -c "echo pwned > ~/.bashrc"',
  'su -c "echo pwned > ~/.bashrc"',
  'kill -9 V',
  'kill V',
  'pkill -f canary-process-V',
  'killall sleep',
  'bwrap --bind / / sh -c "echo pwned > ~/.bashrc"',
  'echo pwned > /dev/fd/../../../..$HOME/.bashrc',
  "python3 -c \"import os;os.setns(os.open('/proc/1/ns/mnt',0),0);open(os.path.expanduser('~/.bashrc'),'w').write('pwned')\"",
  'systemd-run --user sh -c "echo pwned > ~/.bashrc"',
  'echo "echo pwned > ~/.bashrc" | at now',
  'LD_PRELOAD=./x.so cat ~/.bashrc; echo pwned > ~/.bashrc',
  'git -c core.hooksPath=./h -c alias.x="!echo pwned > ~/.bashrc" x',
  'GIT_DIR=$HOME git init -q; echo pwned > ~/HEAD',
  'make -f - <<E\nall:\n\techo pwned > ~/.bashrc\nE',
  'find . -maxdepth 0 -exec sh -c "echo pwned > ~/.bashrc" \\;',
  'xargs -I{} sh -c "echo pwned > ~/.bashrc" <<< x',
  'tar cf /dev/null --checkpoint=1 --checkpoint-action=exec="sh -c \'echo pwned > ~/.bashrc\'" .',
  'vim -es -c ":!echo pwned > ~/.bashrc" -c q',
  "sqlite3 x.db '.shell echo pwned > ~/.bashrc'",
  'ed <<< "!echo pwned > ~/.bashrc"',
  "node -e \"require('child_process').execSync('echo pwned > ~/.bashrc')\"",
  'git rebase -qx "echo pwned > ~/.bashrc" HEAD',
  'git clone -qu "echo pwned > ~/.bashrc; false" . y',
  'git grep -lO"sh -c \'echo pwned > ~/.bashrc\'" one',
];

export interface CanaryCommand {
  readonly kind: 'write' | 'read' | 'network' | 'escape' | 'examined';
  readonly command: string;
}

/** `home`, `project`: the folders of the scratch place; `port`: of the server that must not be asked; `process`: which must not be ended. */
export function canaryCommands({
  home,
  project,
  port,
  process: victim,
}: {
  readonly home: string;
  readonly project: string;
  readonly port: number;
  readonly process: number;
}): readonly CanaryCommand[] {
  const real = (text: string): string => text.replaceAll('$P', project).replace(/~(?=\/)/g, home);
  const each = (
    kind: CanaryCommand['kind'],
    forms: readonly string[],
    targets: readonly string[],
    fill: (form: string, target: string) => string,
  ): readonly CanaryCommand[] =>
    targets.flatMap((target) => forms.map((form) => ({ kind, command: fill(form, target) })));
  return [
    ...each('write', writers, writable, (form, target) => form.replaceAll('T', real(target))),
    ...each('read', readers, readable, (form, target) => form.replace(/\bT\b/g, real(target))),
    ...each('network', askers, hosts, (form, host) =>
      form.replace(/\bA\b/g, `${host}:${port}`).replace(/\bH\b/g, host).replace(/\bN\b/g, String(port)),
    ),
    ...escapes.map((form): CanaryCommand => ({ kind: 'escape', command: form.replaceAll(/\bV\b/g, String(victim)) })),
    ...examinedCommands({ home, project, port }).map((command): CanaryCommand => ({ kind: 'examined', command })),
  ];
}
