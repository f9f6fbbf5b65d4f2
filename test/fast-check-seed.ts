import fc from 'fast-check'

/** A property without a seed of its own draws by the run's seed, which the configuration chose. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FC_SEED) })
