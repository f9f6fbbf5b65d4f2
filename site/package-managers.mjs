/** npm, where another manager has the same command: none has `npm pkg set`, and each project has npm. */
const NPM = /\bnpm (?!pkg )/

/** The commands of a reader in the words of each package manager. */
const IN_WORDS_OF = {
  npm: (line) => line,
  pnpm: (line) =>
    line
      .replace(/\bnpm init -y/, 'pnpm init')
      .replace(/\bnpm install /, 'pnpm add ')
      .replace(/\bnpx /, 'pnpm exec ')
      .replace(NPM, 'pnpm '),
  yarn: (line) =>
    line
      .replace(/\bnpm install --save-dev /, 'yarn add --dev ')
      .replace(/\bnpm install /, 'yarn add ')
      .replace(/\bnpx /, 'yarn ')
      .replace(NPM, 'yarn '),
}

/** Shows blocks that install packages in a tab for each package manager; in the repository they are npm's. */
export function withPackageManagers(text) {
  return text.replace(/^```sh\n((?:(?!```).*\n)*?npm install (?:(?!```).*\n)*)```$/gm, (_, code) => {
    const tabs = Object.entries(IN_WORDS_OF).map(
      ([name, translate]) => `\`\`\`sh [${name}]\n${code.split('\n').map(translate).join('\n')}\`\`\``,
    )
    return `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`
  })
}
