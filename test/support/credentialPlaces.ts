/** Files below a home folder that hold credentials, sessions, or what a person typed. */
export const credentialPlaces: readonly string[] = `
.ssh/id_rsa .ssh/id_ed25519 .ssh/config .ssh/known_hosts .ssh/authorized_keys .gnupg/private-keys-v1.d/a.key .gnupg/secring.gpg
.pki/nssdb/key4.db .step/secrets/root_ca_key .globus/userkey.pem .password-store/mail.gpg .lpass/key .age/key.txt .sops/age.txt
.yubico/challenge .putty/sessions/a .filezilla/recentservers.xml .remmina/a.remmina .vnc/passwd .private_keys/AuthKey_1.p8
.aws/credentials .aws/config .aws/sso/cache/a.json .azure/accessTokens.json .azure/msal_token_cache.json .azure/azureProfile.json
.kube/config .kube/cache/a .minikube/profiles/minikube/client.key .minikube/ca.key .gcloud/a.json .gsutil/a .oci/config .oci/oci_api_key.pem
.fly/config.yml .heroku/credstore .chef/client.pem .bluemix/config.json .aliyun/config.json .tccli/default.credential .cf/config.json
.pulumi/credentials.json .terraform.d/credentials.tfrc.json .terraformrc .vagrant.d/data/vagrant_login_token .rancher/cli2.json
.okteto/config.json .argocd/config .helm/repository/repositories.yaml .mc/config.json .databricks/token-cache.json .databrickscfg
.snowflake/connections.toml .snowsql/config .dbt/profiles.yml .kaggle/kaggle.json .huggingface/token .cache/huggingface/token
.cache/huggingface/stored_tokens .wrangler/config/default.toml .config/.wrangler/config/default.toml .vercel/auth.json
.local/share/com.vercel.cli/auth.json .netlify/config.json .config/netlify/config.json .railway/config.json .render/cli.yaml
.supabase/access-token .turso/settings.json .config/turso/settings.json .config/planetscale/access-token .planetscale/a
.config/neonctl/credentials.json .neon/a .firebase/a .config/configstore/firebase-tools.json .config/configstore/update-notifier.json
.expo/state.json .jfrog/jfrog-cli.conf.v6 .travis/config.yml .gitlab-runner/config.toml .twilio-cli/config.json .cloudflared/cert.pem
.ngrok2/ngrok.yml .config/ngrok/ngrok.yml .wireguard/wg0.conf .mysqlsh/plugin_sessions .mongodb/a .influxdbv2/configs
.near-credentials/mainnet/a.json .bitcoin/wallet.dat .ethereum/keystore/a .electrum/wallets/default_wallet .config/solana/id.json
.sui/sui_config/sui.keystore .aptos/config.yaml .brownie/accounts/a.json .foundry/keystores/a .appstoreconnect/private_keys/a.p8
.purple/accounts.xml .thunderbird/a.default/logins.json .dropbox/instance1/config.dbx .msf4/history .dbus/session-bus/a
.codeium/config.json .tabnine/tabnine_config.json .supermaven/config.json .continuum/anaconda-client/tokens/a.token .lima/_config/user
.colima/_lima/_config/user .config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .config/tea/config.yml .config/lab/lab.toml
.config/gcloud/credentials.db .config/gcloud/access_tokens.db .config/gcloud/application_default_credentials.json
.config/doctl/config.yaml .config/hcloud/cli.toml .config/linode-cli .config/scw/config.yaml .civo.json .vultr-cli.yaml
.config/helm/registry/config.json .config/argocd/config .config/op/config .config/sops/age/keys.txt .config/age/keys.txt
.config/rclone/rclone.conf .rclone.conf .config/containers/auth.json .config/stripe/config.toml .config/github-copilot/apps.json
.config/github-copilot/hosts.json .config/openai/auth.json .config/anthropic/config.json .config/goose/secrets.yaml
.config/opencode/opencode.json .local/share/opencode/auth.json .config/io.datasette.llm/keys.json .config/wandb/settings
.config/binstar/config.yaml .config/protonvpn/a .config/mullvad/a .config/filezilla/sitemanager.xml .config/remmina/remmina.pref
.config/freerdp/known_hosts2 .config/keepassxc/keepassxc.ini .config/1Password/settings/settings.json .config/Bitwarden/data.json
.config/gopass/config .local/share/gopass/stores/root/a .config/rbw/config.json .local/share/rbw/a .config/authy/a
.config/cachix/cachix.dhall .config/attic/config.toml .config/hex/hex.config .hex/hex.config .config/dart/pub-credentials.json
.pub-cache/credentials.json .config/evolution/sources/a .config/Slack/Cookies .config/discord/Cookies .config/Signal/config.json
.config/Element/a .config/teams/Cookies .config/Microsoft/a .config/Mailspring/config.json .config/obsidian/obsidian.json
.config/.jira/.config.yml .jira.d/config.yml .config/pip/pip.conf .pip/pip.conf .config/nix/nix.conf .config/pnpm/rc
.config/composer/auth.json .composer/auth.json .config/pypoetry/auth.toml .config/git/credentials .git-credentials .config/kwalletrc
.local/share/keyrings/login.keyring .local/share/kwalletd/kdewallet.kwl .local/share/uv/credentials/credentials.toml
.local/share/TelegramDesktop/tdata/key_datas .local/share/evolution/mail/a .local/share/remmina/a.remmina
.local/share/jupyter/runtime/jpserver-1.json .local/share/atuin/history.db .local/share/atuin/key .local/share/epiphany/cookies.sqlite
.local/share/qutebrowser/webengine/Cookies .local/share/torbrowser/a .cargo/credentials .cargo/credentials.toml .gem/credentials
.cache/keyring-A1/control .gradle/gradle.properties .m2/settings.xml .m2/settings-security.xml .sbt/.credentials .ivy2/.credentials
.nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config .circleci/cli.yml .ollama/id_ed25519 .android/adbkey .android/debug.keystore
.jupyter/jupyter_server_config.json .claude.json .claude.json.backup .claude/.credentials.json .claude/history.jsonl
.claude/projects/a/1.jsonl .codex/auth.json .codex/config.toml .codex/history.jsonl .codex/sessions/a.jsonl
.gemini/oauth_creds.json .gemini/google_accounts.json .gemini/tmp/a/logs.json .gemini/.env .qwen/oauth_creds.json .cursor/chats/a/store.db
.copilot/session-state/a.jsonl .hermes/.env .hermes/auth.json .hermes/state.db .hermes/state.db-wal .hermes/sessions/a.json
.google_authenticator .Xauthority .ICEauthority .mozilla/firefox/a.default/key4.db .mozilla/firefox/a.default/cookies.sqlite
snap/firefox/common/.mozilla/firefox/a/logins.json snap/chromium/common/chromium/Default/Cookies snap/brave/1/a
.var/app/org.mozilla.firefox/a/key4.db .var/app/com.google.Chrome/config/google-chrome/Default/Cookies .librewolf/a/cookies.sqlite
.waterfox/a/key4.db .zen/a/cookies.sqlite .floorp/a/key4.db .tor-browser/a .config/google-chrome/Default/Cookies
.config/google-chrome-beta/Default/Cookies .config/chromium/Default/Cookies .config/BraveSoftware/Brave-Browser/Default/Cookies
.config/microsoft-edge/Default/Cookies .config/vivaldi/Default/Cookies .config/opera/Cookies .config/yandex-browser/Default/Cookies
.config/thorium/Default/Cookies .config/falkon/a .config/qutebrowser/config.py .config/midori/cookies.db
.config/Cursor/User/globalStorage/state.vscdb .config/VSCodium/User/globalStorage/state.vscdb
.config/Code%20-%20Insiders/User/globalStorage/state.vscdb .config/Windsurf/User/a .config/JetBrains/a/options/security.xml
.config/sublime-text/Local/Session.sublime_session .config/zed/settings.json .local/share/zed/db/a .local/share/JetBrains/a
.vscode-server/data/User/globalStorage/state.vscdb .vscode-server-insiders/data/Machine/settings.json .cursor-server/data/a
.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history
.irb_history .histfile .zhistory .dbshell .lesshst .viminfo .wget-hsts .mycli-history .scala_history .local/share/fish/fish_history
.zsh_sessions/a.history .bash_sessions/a.history .mongosh/mongosh_repl_history .local/state/bash/history .local/state/psql/history
.ipython/profile_default/history.sqlite .config/pgcli/history .env .env.local .netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass
.pg_service.conf .my.cnf .mylogin.cnf .docker/config.json .dockercfg .vault-token .s3cfg .boto .curlrc .wgetrc .passwd-s3fs
.sentryclirc .bigqueryrc .ovh.conf .b2_account_info .authinfo .authinfo.gpg .msmtprc .mbsyncrc .fetchmailrc .offlineimaprc .muttrc
.odbc.ini .envrc .mcp.json .htpasswd .secrets Library/Keychains/login.keychain-db Library/Cookies/Cookies.binarycookies
Library/Safari/History.db Library/Messages/chat.db Library/Mail/a Library/Containers/a Library/Accounts/a
`
  .trim()
  .split(/\s+/u)
  .map((name) => name.replaceAll('%20', ' '));
