import java.util.List;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.resps.Tuple;
import redis.clients.jedis.util.JedisMetaInfo;
import redis.clients.jedis.util.KeyValue;

/** Pipelines and transactions of Jedis: java Pipelines PORT */
public class Pipelines {
  static void check(String what, boolean isSo, Object found) {
    System.out.println(isSo ? "ok: " + what : "FAILS: " + what + ": " + found);
  }

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[0]);
    try (Jedis client = new Jedis("127.0.0.1", port); Jedis other = new Jedis("127.0.0.1", port)) {
      System.out.println("Jedis " + JedisMetaInfo.getVersion());
      client.flushAll();

      Transaction transaction = client.multi();
      for (int i = 0; i < 100; i++) transaction.zadd("k", i, "m" + i);
      List<Object> replies = transaction.exec();
      check("a transaction", replies.size() == 100 && client.zcard("k") == 100, replies);

      Transaction refused = client.multi();
      refused.zadd("k", 1, "refused");
      refused.set("k", "v");
      boolean isRefused = false;
      try {
        refused.exec();
      } catch (RuntimeException error) {
        isRefused = true;
      }
      check("a refused transaction writes nothing", isRefused && other.zscore("k", "refused") == null, isRefused);

      Pipeline pipeline = other.pipelined();
      Response<Long> added = pipeline.zadd("k", 1, "plain");
      Response<Double> score = pipeline.zscore("k", "plain");
      pipeline.sync();
      check("a pipeline without MULTI", added.get() == 1 && score.get() == 1, score.get());

      client.watch("k");
      other.zadd("k", 1, "between");
      AbstractTransaction watched = client.multi();
      watched.zadd("k", 1, "lost");
      check("WATCH sees a change", watched.exec() == null && other.zscore("k", "lost") == null, "");

      Thread later = new Thread(() -> {
        try {
          Thread.sleep(100);
        } catch (InterruptedException error) {
          return;
        }
        other.zadd("queue", 1, "job");
      });
      later.start();
      KeyValue<String, Tuple> popped = client.bzpopmin(5, "queue");
      later.join();
      check("a client waits for an entry", popped != null && popped.getValue().getElement().equals("job"), popped);
    }
  }
}
