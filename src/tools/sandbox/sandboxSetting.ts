/** auto: commands are confined where that works · required: where it does not, none runs · off. */
export const sandboxSettings = ['auto', 'required', 'off'] as const;
export type SandboxSetting = (typeof sandboxSettings)[number];
