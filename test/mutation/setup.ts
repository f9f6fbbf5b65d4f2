import fc from 'fast-check'

/** That a property fails is all that counts, so its smallest counterexample is not looked for; and fewer cases find it. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true, numRuns: 30 })
