export { mailConfigOf, mailVariables, requireMailSender } from './settings';
export { createMailTransport, isMailRefused, type MailConfig, type MailText, type MailTransport } from './transport';
