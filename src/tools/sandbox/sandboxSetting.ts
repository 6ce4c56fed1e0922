/** auto: commands are confined if the sandbox works. required: without a working sandbox no command runs. off: no
 *  sandbox. */
export const sandboxSettings = ['auto', 'required', 'off'] as const;
export type SandboxSetting = (typeof sandboxSettings)[number];
