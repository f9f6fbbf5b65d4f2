/** The file that `LapidaryTable` is given as `entry`: the bundler puts it here. */
declare module 'config-of-the-table' {
  const config: import('./open-database.ts').FunctionConfig
  export = config
}
