import { withChromium } from './chromium.mjs'
const base='http://127.0.0.1:3111'
await withChromium(async (browser) => {
  const ctx=async(o)=>{const c=await browser.newContext(o);const p=await c.newPage();p.on('console',m=>['error','warning'].includes(m.type())&&console.log(m.text()));p.on('pageerror',e=>console.log('ERR',e.message));return p}
  let p=await ctx({viewport:{width:1440,height:1100}})
  await p.goto(base+'/p/42'); await p.waitForTimeout(500); await p.screenshot({path:'/tmp/s1.png'})
  await p.click('.photo-strip a.photo'); await p.waitForTimeout(600); await p.screenshot({path:'/tmp/s2.png'})
  await p.keyboard.press('ArrowRight'); await p.waitForTimeout(300); await p.keyboard.press('Escape')
  await p.goto(base+'/sign-in?to=/p/42'); await p.fill('input[name=name]','Ada Night'); await p.click('main button[type=submit]'); await p.waitForTimeout(300)
  console.log(p.url())
  await p.goto(base+'/p/42#write'); await p.evaluate(()=>document.querySelector('#write').open=true)
  await p.setInputFiles('#write-photos',['/tmp/big.jpg','/work/main/apps/comments/src/demo/photos/headphones-2.webp']); await p.waitForTimeout(800)
  await p.check('#write-rating-5',{force:true}); await p.fill('#write-text','Lovely, see the pictures.'); await p.locator('#write').scrollIntoViewIfNeeded(); await p.locator('#write').screenshot({path:'/tmp/s3.png'})
  console.log(await p.evaluate(()=>[...document.querySelector('#write-photos').files].map(f=>[f.name,f.size])))
  await p.click('#write-form button.button'); await p.waitForTimeout(1500); console.log(p.url()); await p.screenshot({path:'/tmp/s4.png'})
  const edit=await p.locator('a[href$="/edit"]').first().getAttribute('href'); await p.goto(base+edit); await p.waitForTimeout(500); await p.screenshot({path:'/tmp/s5.png',fullPage:true})
  p=await ctx({viewport:{width:390,height:1500},colorScheme:'dark'}); await p.goto(base+'/p/42'); await p.waitForTimeout(400); await p.screenshot({path:'/tmp/s6.png'})
  await p.goto(base+'/p/42/photos'); await p.waitForTimeout(400); await p.screenshot({path:'/tmp/s7.png'})
  p=await ctx({viewport:{width:1440,height:900},locale:'ar'}); await p.goto(base+'/p/42'); await p.waitForTimeout(400); await p.screenshot({path:'/tmp/s8.png'})
})
