import fc from 'fast-check'

/** Each property that names no seed of its own draws by that of the run, which the configuration chose. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FC_SEED) })
