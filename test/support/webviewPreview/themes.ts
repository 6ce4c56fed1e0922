export interface Theme {
  readonly kind: string;
  readonly bodyClass: string;
  readonly colors: Readonly<Record<string, string>>;
}

const fonts = {
  'font-family': '"Liberation Sans", "Segoe UI", sans-serif',
  'font-size': '13px',
  'font-weight': 'normal',
  'editor-font-family': '"DejaVu Sans Mono", monospace',
  'editor-font-size': '12px',
};

/** The colors that VS Code 1.106 gives a webview in its default themes: dark, light, dark and light of high contrast. Empty
 *  where the theme has no such color. Holds those that the views use. */
const colors: Readonly<Record<string, readonly [string, string, string, string]>> = {
  foreground: ['#cccccc', '#3b3b3b', '#ffffff', '#292929'],
  descriptionForeground: ['#9d9d9d', '#3b3b3b', '#ffffffb3', '#292929b3'],
  errorForeground: ['#f85149', '#f85149', '#f48771', '#b5200d'],
  'icon-foreground': ['#cccccc', '#3b3b3b', '#ffffff', '#292929'],
  focusBorder: ['#0078d4', '#005fb8', '#f38518', '#006bbd'],
  'sideBar-background': ['#181818', '#f8f8f8', '#000000', '#ffffff'],
  'editor-background': ['#1f1f1f', '#ffffff', '#000000', '#ffffff'],
  'editor-foreground': ['#cccccc', '#3b3b3b', '#ffffff', '#292929'],
  'editor-selectionBackground': ['#264f78', '#add6ff', '#ffffff', '#0f4a85'],
  'editorWidget-background': ['#202020', '#f8f8f8', '#0c141f', '#ffffff'],
  'widget-border': ['#313131', '#e5e5e5', '#6fc3df', '#0f4a85'],
  'widget-shadow': ['#0000005c', '#00000029', '', ''],
  'panel-border': ['#2b2b2b', '#e5e5e5', '#6fc3df', '#0f4a85'],
  'button-background': ['#0078d4', '#005fb8', '#000000', '#0f4a85'],
  'button-foreground': ['#ffffff', '#ffffff', '#ffffff', '#ffffff'],
  'button-hoverBackground': ['#026ec1', '#0258a8', '#000000', '#0f4a85'],
  'button-border': ['#ffffff12', '#0000001a', '#6fc3df', '#0f4a85'],
  'button-secondaryBackground': ['#313131', '#e5e5e5', '', ''],
  'button-secondaryForeground': ['#cccccc', '#3b3b3b', '#ffffff', '#292929'],
  'button-secondaryHoverBackground': ['#3c3c3c', '#cccccc', '', ''],
  'input-background': ['#313131', '#ffffff', '#000000', '#ffffff'],
  'input-foreground': ['#cccccc', '#3b3b3b', '#ffffff', '#292929'],
  'input-border': ['#3c3c3c', '#cecece', '#6fc3df', '#0f4a85'],
  'input-placeholderForeground': ['#989898', '#767676', '#ffffffb3', '#292929b3'],
  'inputOption-activeBackground': ['#2489db82', '#bed6ed', '', ''],
  'inputOption-activeBorder': ['#2488db', '#005fb8', '#6fc3df', '#0f4a85'],
  'inputOption-activeForeground': ['#ffffff', '#000000', '#ffffff', '#292929'],
  'inputValidation-errorBorder': ['#be1100', '#be1100', '#6fc3df', '#0f4a85'],
  'inputValidation-errorBackground': ['#5a1d1d', '#f2dede', '#000000', '#ffffff'],
  'inputValidation-warningBorder': ['#b89500', '#b89500', '#6fc3df', '#0f4a85'],
  'editorWarning-foreground': ['#cca700', '#bf8803', '#ffd370', '#895503'],
  'textLink-foreground': ['#4daafc', '#005fb8', '#21a6ff', '#0f4a85'],
  'textLink-activeForeground': ['#4daafc', '#005fb8', '#21a6ff', '#0f4a85'],
  'textPreformat-foreground': ['#d0d0d0', '#3b3b3b', '#000000', '#ffffff'],
  'textPreformat-background': ['#3c3c3c', '#0000001f', '#ffffff', '#09345f'],
  'textCodeBlock-background': ['#2b2b2b', '#f8f8f8', '#000000', '#f2f2f2'],
  'diffEditor-insertedLineBackground': ['#9bb95533', '#9bb95533', '', ''],
  'diffEditor-removedLineBackground': ['#ff000033', '#ff000033', '', ''],
  'editorLineNumber-foreground': ['#6e7681', '#6e7681', '#ffffff', '#292929'],
  'textBlockQuote-border': ['#616161', '#e5e5e5', '#ffffff', '#292929'],
  'toolbar-hoverBackground': ['#5a5d5e50', '#b8b8b850', '', ''],
  'list-hoverBackground': ['#2a2d2e', '#f2f2f2', '', ''],
  'list-inactiveSelectionBackground': ['#37373d', '#e4e6f1', '', ''],
  'list-highlightForeground': ['#2aaaff', '#0066bf', '#f38518', '#006bbd'],
  'list-activeSelectionBackground': ['#04395e', '#e8e8e8', '', ''],
  'list-activeSelectionForeground': ['#ffffff', '#000000', '', ''],
  'menu-background': ['#1f1f1f', '#ffffff', '#000000', '#ffffff'],
  'menu-border': ['#454545', '#cecece', '#6fc3df', '#0f4a85'],
  'menu-foreground': ['#cccccc', '#3b3b3b', '#ffffff', '#292929'],
  'chat-requestBackground': ['#1f1f1f9e', '#ffffff7d', '', ''],
  'chat-requestBorder': ['#ffffff1a', '#0000001a', '#6fc3df', '#0f4a85'],
  'progressBar-background': ['#0078d4', '#005fb8', '#6fc3df', '#0f4a85'],
  'scrollbarSlider-background': ['#79797966', '#64646466', '#6fc3df99', '#0f4a8566'],
  'symbolIcon-functionForeground': ['#b180d7', '#652d90', '#b180d7', '#652d90'],
  'symbolIcon-keywordForeground': ['#cccccc', '#3b3b3b', '', ''],
  'debugTokenExpression-boolean': ['#4e94ce', '#0000ff', '#75bdfe', '#0000ff'],
  'debugTokenExpression-string': ['#ce9178', '#a31515', '#f48771', '#a31515'],
  'debugTokenExpression-number': ['#b5cea8', '#098658', '#89d185', '#098658'],
  'debugTokenExpression-name': ['#c586c0', '#9b46b0', '', ''],
  'gitDecoration-addedResourceForeground': ['#81b88b', '#587c0c', '', ''],
  'gitDecoration-deletedResourceForeground': ['#c74e39', '#ad0707', '', ''],
  'editor-findMatchHighlightBackground': ['#9e6a03', '#ea5c0055', '', ''],
  'keybindingTable-headerBackground': ['#cccccc0a', '#cccccc0a', '', ''],
  contrastBorder: ['', '', '#6fc3df', '#0f4a85'],
  contrastActiveBorder: ['', '', '#f38518', '#006bbd'],
  'editor-selectionForeground': ['', '', '#000000', '#ffffff'],
  'diffEditor-insertedTextBorder': ['', '', '#33ff2e', '#374e06'],
  'diffEditor-removedTextBorder': ['', '', '#ff008f', '#ad0707'],
  'toolbar-hoverOutline': ['', '', '#f38518', '#006bbd'],
};

function theme(column: 0 | 1 | 2 | 3, kind: string, bodyClass = kind): Theme {
  const own = Object.entries(colors).flatMap(([name, values]) =>
    values[column] === '' ? [] : [[name, values[column]] as const],
  );
  return { kind, bodyClass, colors: { ...Object.fromEntries(own), ...fonts } };
}

export const themes: Readonly<Record<string, Theme>> = {
  dark: theme(0, 'vscode-dark'),
  light: theme(1, 'vscode-light'),
  contrast: theme(2, 'vscode-high-contrast'),
  contrastLight: theme(3, 'vscode-high-contrast-light', 'vscode-high-contrast vscode-high-contrast-light'),
};
