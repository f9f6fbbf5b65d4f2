import fc from 'fast-check'

/** Only the failure of a property counts here, so its smallest counterexample is not looked for, and fewer cases are drawn. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true, numRuns: 30 })
