import type { AskReason } from '../transcript/approval';

/** Files that are treated alike. All four treatments are decided in every row. */
export interface PathRow {
  /** Reason, for docs/approvals.md and for anyone who extends the table. */
  readonly what: string;
  /** True: a command in the sandbox cannot read it, in the open folders and in the home folder. */
  readonly isHidden: boolean;
  /** True: reading it needs approval in every mode. */
  readonly asksToRead: boolean;
  /** Reason for which changing it needs approval in every mode. Null: none. */
  readonly asksToChange: Extract<AskReason, 'sensitive' | 'dotConfig' | 'repositoryInternals'> | null;
  /** True: a command in the sandbox cannot change it, and if it appears there, it is moved out after the command.
   *  'stays': a command cannot change it, but may make it, because nothing runs or obeys it. 'never': neither it nor
   *  what is below it, whatever other rows say. */
  readonly isTakenOut: boolean | 'stays' | 'never';
  /** Each name matches from the start of a segment to the end of the path, ignoring case: `*` is any part of a
   *  segment, `{a,b}` one of several, a final `/` the folder and all that is below it. */
  readonly names: readonly string[];
}

const secret = { isHidden: true, asksToRead: true, asksToChange: 'sensitive', isTakenOut: true } as const;
const obeyed = { isHidden: false, asksToRead: false, asksToChange: 'dotConfig', isTakenOut: true } as const;

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** The only list of paths that need care: what is hidden in the sandbox, asked for when read, asked for when
 *  changed, and taken out after a command. */
export const pathTable: readonly PathRow[] = [
  {
    what: 'Keys and passwords in the clear.',
    ...secret,
    names: [
      '{.env*,*.env,{.,}envrc,.npmrc,.yarnrc{,.yml},{.,_}netrc,.pypirc,.pgpass,pgpass.conf,.pg_service.conf,.my.cnf}',
      '{.mylogin.cnf,.htpasswd,credentials*,*credentials{,.*},{.,}git{-,}credentials}',
      '{secret{,s}.{json,yml,yaml,toml,ini,txt,env,xml,properties},.secret{,s}}',
      '{*{.,_,-}secret{,s}.{json,yml,yaml,toml,ini,txt},.dockercfg,.vault{-,_,}token,.vault_pass*}',
      '{service{-,_,}account*.json,application_default_*.json,terraform.tfstate*,.docker/config.json}',
      '{.m2/settings{,-security}.xml,{.,}kubeconfig*,*.kubeconfig,{.,}mcp.json,.claude/settings.local.json}',
      '{.codex/config.toml,{.,}auth.{json,toml},oauth*.json,*{-,_}creds.json,{.,}access{-,_}token{,s},.dev.vars*}',
      '{client{-,_}secret*.json,*{-,_}key.json,*.tfvars{,.json},.terraformrc,master.key,nuget.config}',
      '{.,}rclone.conf',
      '.{curlrc,wgetrc,s3cfg,boto,passwd-s3fs,databrickscfg,snowsql,sentryclirc,bigqueryrc,ovh.conf,b2_account_info}',
      '.{authinfo,msmtprc,mbsyncrc,fetchmailrc,offlineimaprc,esmtprc,muttrc,odbc.ini}',
    ],
  },
  {
    what: 'Samples of such files, which come with a project and hold no passwords.',
    isHidden: false,
    asksToRead: false,
    asksToChange: null,
    isTakenOut: 'never',
    names: ['.env{.,-,_}{example,sample,template,dist}'],
  },
  {
    what: 'Private keys, certificates with keys, and stores of passwords.',
    ...secret,
    isTakenOut: 'stays',
    names: [
      '{id_{rsa,dsa,ecdsa,ed25519,ed448,xmss}*,ssh_host_*,login data*,logins.json,key{3,4}.db,cookies.sqlite}',
      '{wallet.dat,adbkey,state.vscdb*}',
      '*.{pem,key,p12,pfx,pkcs12,p8,jks,keystore,kdb,kdbx,ppk,asc,gpg,age,ovpn,keychain,keychain-db,keytab}',
    ],
  },
  {
    what: 'Folders and files of a home folder in which programs keep how they log in.',
    ...secret,
    names: [
      '.{ssh,gnupg,pki,step,globus,password-store,lpass,vault}/',
      '.{age,sops,yubico,putty,filezilla,remmina,vnc,private_keys}/',
      '.{aws,azure,kube,minikube,gcloud,gsutil,oci,fly,heroku}/',
      '.{chef,bluemix,aliyun,tccli,cf,pulumi,terraform.d,vagrant.d}/',
      '.{railway,render,supabase,turso,firebase,expo,jfrog}/',
      '.{travis,gitlab-runner,twilio-cli,cloudflared,ngrok2,wireguard}/',
      '.{mysqlsh,mongodb,influxdbv2,near-credentials,bitcoin,ethereum}/',
      '{.{electrum,solana,sui,aptos,brownie,appstoreconnect}/,.jira.d/}',
      '.config/{gh,hub,glab-cli,tea,lab,gcloud,doctl,hcloud,linode-cli}/',
      '.config/{scw,civo,helm,argocd,op,sops,age,rclone,containers}/',
      '.config/{stripe,configstore,.wrangler,netlify,railway,turso}/',
      '.config/{planetscale,neonctl,github-copilot,openai,anthropic}/',
      '.config/{freerdp,keepassxc,keepass,1password,bitwarden*,gopass,rbw}/',
      '.config/{enpass,authy,cachix,attic,hex,dart,evolution}/',
      '{.local/share/{falkon,torbrowser,jetbrains,zed,crush}/,.{cargo,gem}/credentials{,.*}}',
      '.cache/{keyring*/,huggingface/token,huggingface/stored_tokens}',
      '.{circleci/cli.yml,ollama/id_ed25519,android/debug.keystore}/',
      '.{foundry/keystores,jupyter/jupyter_server_config.json}/',
      '.{claude.json*,hermes/state.db*,gemini/oauth_creds.json,civo.json}',
      '{.{vultr-cli.yaml,google_authenticator,xauthority},{keychains,keyrings}/}',
      '.{rancher,okteto,argocd,helm,mc,databricks,snowflake,snowsql,dbt,kaggle,huggingface,wrangler,vercel,netlify}/',
      '.{purple,thunderbird,dropbox,msf4,dbus,codeium,tabnine,supermaven,continuum,lima,colima,planetscale,neon}/',
      '.config/{goose,opencode,crush,io.datasette.llm,wandb,binstar,solana,ngrok,protonvpn,mullvad,filezilla,remmina}/',
      '.config/{slack,discord,signal,element,skypeforlinux,teams,microsoft,mailspring,obsidian,jira,.jira,heroku,fly}/',
      '.config/{pip/pip.conf,nix/nix.conf,pnpm/rc,composer/auth.json,pypoetry/auth.toml,git/credentials,kwalletrc}',
      '.local/share/{keyrings,kwalletd,gopass,rbw,bitwarden,com.vercel.cli,opencode,uv/credentials,telegramdesktop}/',
      '.local/share/{evolution,remmina,jupyter/runtime,atuin,epiphany,qutebrowser}/',
      '.{gradle/gradle.properties,composer/auth.json,pip/pip.conf,hex/hex.config,sbt/.credentials,ivy2/.credentials}',
      '.{iceauthority,gemini/google_accounts.json,qwen/oauth_creds.json,codex/history.jsonl,claude/history.jsonl}',
      '.{codex/sessions,claude/projects,cursor/chats,gemini/tmp,hermes/sessions,copilot/session-state}/',
      'library/{cookies,safari,mail,messages,accounts,identityservices,containers,group containers}/',
    ],
  },
  {
    what: 'Browsers and editors, however they were installed: cookies, passwords, sessions, tokens.',
    ...secret,
    names: [
      '{.config/{opera*,yandex-browser*,thorium,falkon}/,.config/{qutebrowser,midori,librewolf,zen}/}',
      '.config/{code,code - *,code-*,vscodium,cursor,windsurf,positron}/',
      '.config/{trae,antigravity,kiro,jetbrains,sublime-text*,zed}/',
      'library/application support/{google,chromium,firefox,bravesoftware}/',
      '.{mozilla,librewolf,waterfox,zen,floorp,moonchild productions,tor-browser,var/app}/',
      '.config/{google-chrome*,chromium*,bravesoftware,microsoft-edge*,vivaldi*}/',
      '.{vscode-server*,vscode-remote,vscodium-server,cursor-server,windsurf-server,openvscode-server}/data/',
      'snap/{firefox,chromium,brave,opera*,thunderbird,code*,codium,slack,discord,bitwarden,vivaldi,librewolf}/',
      'library/application support/{microsoft edge*,vivaldi,com.operasoftware.*}/',
      'library/application support/{arc,librewolf,zen,code,code - *,vscodium,cursor,windsurf,jetbrains,slack,discord}/',
    ],
  },
  {
    what: 'Commands and texts that a person typed.',
    ...secret,
    names: [
      '{.*{_,-}{history,hist},.{histfile,zhistory,dbshell,lesshst,viminfo,wget-hsts,python_history*}}',
      '{*consolehost_history.txt,fish_history,.{zsh,bash}_sessions/,.mongosh/}',
      '{.local/state/{bash,zsh,psql,python,less,node,mysql,sqlite}/,.ipython/profile_*/history.sqlite*}',
      '.config/{pgcli,mycli,litecli}/',
    ],
  },
  {
    what: 'Private copies of Hermes.',
    ...secret,
    names: ['hermes-private-*/'],
  },
  {
    what: 'Keys of the system, and what it hands to programs.',
    isHidden: true,
    asksToRead: true,
    asksToChange: 'sensitive',
    isTakenOut: false,
    names: [
      'etc/{shadow,gshadow,shadow-,gshadow-,sudoers,krb5.keytab,wireguard/,openvpn/,kubernetes/,rancher/,ssl/private/}',
      'etc/networkmanager/system-connections/',
      'run/{secrets,user,credentials}/',
    ],
  },
  {
    what: 'Environments of processes. The sandbox has processes of its own.',
    isHidden: false,
    asksToRead: true,
    asksToChange: 'sensitive',
    isTakenOut: false,
    names: ['proc/*/', 'environ'],
  },
  {
    what: 'Addresses of a repository, which may have a password. Git in the sandbox reads it.',
    isHidden: false,
    asksToRead: true,
    asksToChange: 'sensitive',
    isTakenOut: 'never',
    names: ['.git/{,**/}config{,.worktree}'],
  },
  {
    what: "Git's own files. What appears in repositories is judged by `sandbox/git`, not by name.",
    isHidden: false,
    asksToRead: false,
    asksToChange: 'repositoryInternals',
    isTakenOut: 'never',
    names: ['.git/'],
  },
  {
    what: 'A file HEAD makes a folder a repository. In the sandbox `sandbox/git` judges the settings of that.',
    isHidden: false,
    asksToRead: false,
    asksToChange: 'repositoryInternals',
    isTakenOut: false,
    names: ['head'],
  },
  {
    what: 'Samples of hooks, which come with each repository. Git does not run them.',
    isHidden: false,
    asksToRead: false,
    asksToChange: null,
    isTakenOut: 'never',
    names: ['*hooks/*.sample'],
  },
  {
    what: 'Git and its relatives run what is here, or follow it elsewhere.',
    isHidden: false,
    asksToRead: false,
    asksToChange: 'repositoryInternals',
    isTakenOut: true,
    names: [
      '{git~{0,1,2,3,4,5,6,7,8,9}/,.husky/,.githooks/}',
      '{*hooks/{pre,post,commit,applypatch,prepare,update,push,fsmonitor}-*,.git{modules,attributes,config}}',
      '.{hg,svn,jj}/',
    ],
  },
  {
    what: 'Editors, containers and build services run what is here, often without asking.',
    ...obeyed,
    names: [
      '{appdata/,.devcontainer.json,*.{code-workspace,sublime-project},.github/{workflows,actions}/}',
      '{.github/dependabot.{yml,yaml},.{gitlab-ci,travis,drone,gitpod}.{yml,yaml},azure-pipelines.{yml,yaml}}',
      '{jenkinsfile,bitbucket-pipelines.{yml,yaml},.pre-commit-config.{yml,yaml}}',
      '{{.,}lefthook{,-local}.{yml,yaml,toml,json},.{project,factorypath,replit,dir-locals.el,lvimrc},devbox.json}',
      '.{vscode,cursor,windsurf,vscodium,codium,openvscode,code-server,positron,trae,antigravity}*/',
      'library/{application support,launchagents,launchdaemons,services,scripts}/',
      '.{idea,fleet,zed,devcontainer,vs,run,settings,nova,circleci,buildkite,gitlab,woodpecker,forgejo,gitea}/',
      '.{nvim,vim,emacs.d,direnv,config,local,bin,theia,idx,bsp,externaltoolbuilders}/',
    ],
  },
  {
    what: 'Shells and tools run it, or take from it what to run, when they start.',
    ...obeyed,
    names: [
      '{.z{shrc,profile,login,logout,shenv,env},.{xinitrc,xsession,xprofile,winitrc,wsession,wprofile,xsessionrc}}',
      '{.pnpmfile.{cjs,js,mjs},.pnpmrc,{.,}bunfig.toml,{.,}mise*}',
      '.{tool-versions,asdfrc,rtx.toml,curlrc,wgetrc,screenrc,tmux.conf}',
      '{.{vimrc,exrc,nvimrc,gdbinit,lldbinit,irbrc,pryrc},.*rc.{js,cjs,mjs},pip.conf,.bundle/{config,plugin/}}',
      '{.cargo/{config,config.toml,bin/,env},.gradle/{init.d/,init.gradle*,gradle.properties}}',
      '{.m2/{wrapper/,extensions.xml,toolchains.xml},.yarn/{releases,plugins,patches,sdks}/}',
      '{.{ipython,jupyter,docker,rustup}/,{sitecustomize,usercustomize}.py}',
      '.{bash,zsh,ksh,csh,tcsh,fish,profile,login,logout,inputrc,kshrc,mkshrc}*',
      '.{pythonrc,pythonrc.py,pdbrc,rprofile,gemrc,condarc,ripgreprc,bazelrc,luarc.json,luarc.jsonc,clangd}',
      '.{babelrc,eslintrc,prettierrc,mocharc,lintstagedrc,commitlintrc,stylelintrc,swcrc,nycrc}*',
      '.mvn/{extensions.xml,jvm.config,maven.config,settings.xml,wrapper/maven-wrapper.properties}',
      '.{oh-my-*,nvm,fnm,volta,nodenv,pyenv,rbenv,rvm,jenv,goenv,asdf,sdkman,zprezto,zinit,zplug,antigen,antidote}/',
    ],
  },
  {
    what: 'Extensions of the editor and package managers load it and run what it says, often as soon as it is saved.',
    ...obeyed,
    names: [
      '{eslint,prettier,stylelint,svelte,tailwind,vite,vitest}.config.*',
      '{jest,postcss,babel,playwright,commitlint,lint-staged}.config.*',
      '{astro,uno,unocss,windi,cspell,markdownlint}.config.*',
      '{.{markdownlint,markdownlint-cli2}.{cjs,mjs,js,jsonc,yaml,yml,json},{.,}cspell.{js,cjs,mjs},.pnp.*}',
      '{gradle/wrapper/,{build,settings,init}.gradle{,.kts},conftest.py,{.,}pylintrc,{.,}mypy.ini}',
      '{.{flake8,rubocop.yml,solargraph.yml,credo.exs,formatter.exs,nvim.lua},.php-cs-fixer*.php,build.rs}',
      '{rust-toolchain{,.toml},*.{csproj,fsproj,vbproj},directory.build.{props,targets},cmakelists.txt,mix.exs}',
    ],
  },
  {
    what: 'Agents take orders from it, this one too.',
    ...obeyed,
    names: [
      '.{claude,cursor,codex,gemini,windsurf,continue,cline,roo}/',
      '{.{kilocode,aider,hermes,agent,agents,amazonq,junie,kiro}/,{agent,agents,claude}{,.*}.md}',
      '{.{cursorrules,windsurfrules,goosehints,rules,roomodes,kilocodemodes},.clinerules/}',
      '{.{roorules,kilocoderules,aider}*,.github/copilot-instructions.md}',
      '{.github/{instructions,prompts,agents,chatmodes,skills,hooks}/,{.,}mcp.json,opencode.json{,c},{.,}crush.json}',
      '.{copilot,opencode,augment,qwen,crush,iflow,goose,factory,zencoder,qodo,warp,amp,rovodev,trae,void,pearai}/',
      '{gemini,hermes,.hermes,qwen,crush,iflow,warp,copilot-instructions,skill,convention,conventions}.md',
    ],
  },
  {
    what: 'Installed packages and their caches. Extensions run them too, but without them nothing could be installed.',
    isHidden: false,
    asksToRead: false,
    asksToChange: 'dotConfig',
    isTakenOut: 'never',
    names: [
      '{node_modules/,{site,dist}-packages/,{.,}{v,}env/{bin,scripts,lib,lib64,include,share}/}',
      '{.,}virtualenv/{bin,scripts,lib,lib64,include,share}/',
      '{.{conda,tox,nox}/*/{bin,scripts,lib,lib64,include,share}/,.{bun,deno}/,*.pth}',
    ],
  },
  {
    what: 'Folders of package managers, in which only some files are run.',
    isHidden: false,
    asksToRead: false,
    asksToChange: 'dotConfig',
    isTakenOut: false,
    names: ['.{cargo,bundle,mvn,gradle,m2,yarn,sbt,ivy2}/'],
  },
];

/** Places outside of the home folder that the sandbox hides, with everything below: what belongs to other people,
 *  other folders and other machines. `*` is any name. What is open, or leads to what is open, stays readable.
 *  Outside of the open folders reading and changing is asked for anyway. */
export const hiddenPlaces: readonly string[] = [
  '/mnt/*/Documents and Settings',
  ...words(`
    /home/* /Users/* /root /var/root /mnt/*/Users /media/* /run/media/* /workspaces/* /workspaces/.* /run/secrets
    /var/run/secrets /run/credentials /run/user /etc/shadow /etc/gshadow /etc/shadow- /etc/gshadow- /etc/krb5.keytab
    /etc/ssl/private /etc/wireguard /etc/openvpn /etc/kubernetes /etc/rancher /etc/NetworkManager/system-connections
  `),
];

/** Caches of package managers in a home folder, which commands in the sandbox may write. No package manager runs their
 *  content unless a file elsewhere tells it to. */
export const homeCaches: Readonly<Record<'all' | 'linux' | 'darwin', readonly string[]>> = {
  all: words(`
    .npm/_cacache .npm/_logs .yarn/berry/cache .yarn/berry/metadata .pnpm-store .local/share/pnpm/store
    .bun/install/cache .cargo/registry .cargo/git go/pkg/mod go/pkg/sumdb .gradle/caches .m2/repository
    .nuget/packages .ivy2/cache .pub-cache/hosted .composer/cache
  `),
  linux: words(`
    .cache/pip .cache/uv .cache/pypoetry .cache/yarn .cache/pnpm .cache/go-build .cache/node .cache/typescript
    .cache/deno .cache/composer .cache/golangci-lint .cache/mypy .cache/ruff
  `),
  darwin: words(`
    Library/Caches/pip Library/Caches/uv Library/Caches/pypoetry Library/Caches/Yarn Library/Caches/pnpm
    Library/Caches/go-build Library/Caches/typescript Library/Caches/deno Library/pnpm/store
  `),
};

/** Home folder: programs, toolchains, package caches and settings without credentials. The sandbox hides every other
 *  name there; a folder on the PATH is shown too. */
export const homePrograms: readonly string[] = words(`
  .config/git .gitignore .gitignore_global .gitattributes .editorconfig .bashrc .bash_profile .bash_aliases
  .bash_logout .profile .inputrc .dircolors .zshrc .zshenv .zprofile .zlogin .zsh .oh-my-zsh .oh-my-bash .zprezto
  .zinit .antigen .tool-versions .nvmrc .node-version .python-version .ruby-version .java-version .sdkmanrc .asdfrc
  .gemrc .irbrc .rspec .Rprofile .clang-format .prettierrc .eslintrc.json bin sbin lib sdk opt node_modules miniconda
  miniconda2 miniconda3 anaconda anaconda2 anaconda3 mambaforge miniforge miniforge3 micromamba flutter perl5 R gems
  go/bin go/pkg go/sdk Android/Sdk Library/Android/sdk Library/pnpm Library/Python Library/Caches/ms-playwright
  Library/Caches/Cypress Library/Caches/electron Library/Caches/node-gyp Library/Java Library/Frameworks
  Library/Developer/Toolchains Library/Caches/Homebrew .local/bin .local/lib .local/include .local/share/mise
  .local/share/rtx .local/share/uv .local/share/pipx .local/share/pnpm .local/share/fnm .local/share/yarn
  .local/share/virtualenvs .local/share/hatch .local/share/pypoetry .local/share/gem .local/share/nvm .local/share/man
  .local/share/solana/install .local/share/coursier .local/share/swiftly .local/share/claude/versions .local/pipx
  .local/state/nix .local/state/fnm_multishells .config/composer/vendor .config/yarn/global .config/mise .config/nvm
  .config/fontconfig .nix-profile .nix-defexpr .guix-profile .linuxbrew .nvm .fnm .volta .nodenv .nodebrew .nvs .n
  .npm-global .npm-packages .npm/_npx .yarn .pnpm .bun .deno .node .node-gyp .pyenv .conda/envs .conda/pkgs
  .virtualenvs .venv .venvs .pixi .rye .pex .pdm .rbenv .rvm .gem/ruby .bundle/cache .cargo/bin .cargo/env
  .cargo/config.toml .rustup .goenv .jenv .sdkman .jbang .jabba .gradle/wrapper .gradle/jdks .gradle/native
  .m2/wrapper .sbt/boot .sbt/launchers .konan .kotlin .asdf .proto .dotnet .pub-cache/bin .pub-cache/global_packages
  .composer/vendor .phpbrew .opam .ghcup .cabal/bin .cabal/packages .cabal/store .stack .elan .juliaup .julia .mix
  .hex/packages .nimble .choosenim .swiftpm .swiftly .zvm .zig .wasmer .wasmtime .wasmedge .foundry/bin
  .foundry/versions .avm .svm .krew .arkade .tfenv .tenv .platformio/packages .platformio/penv .espressif .vcpkg
  .emsdk .android/cache .cache/pre-commit .cache/ms-playwright .cache/puppeteer .cache/Cypress .cache/electron
  .cache/electron-builder .cache/node-gyp .cache/ccache .cache/sccache .cache/bazel .cache/bazelisk .cache/coursier
  .cache/huggingface/hub .cache/torch .cache/prisma .cache/turbo .cache/zig .cache/nix .cache/fontconfig
  .cache/matplotlib
`);
