import { App } from 'aws-cdk-lib'
import { CommentsStack } from './comments-stack.ts'

const app = new App()
new CommentsStack(app, 'Comments')
