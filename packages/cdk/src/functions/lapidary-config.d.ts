/** The file that `LapidaryTable` is given as `entry`: the bundler puts it here. */
declare module 'lapidary-config' {
  const config: import('./open-database.ts').FunctionConfig
  export = config
}
