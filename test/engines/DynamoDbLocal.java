import com.almworks.sqlite4java.SQLiteConnection;
import com.almworks.sqlite4java.SQLiteException;
import com.almworks.sqlite4java.SQLiteJob;
import com.almworks.sqlite4java.SQLiteQueue;
import java.net.InetSocketAddress;
import java.util.Map;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.awssdk.services.dynamodb.model.ListTablesRequest;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;
import software.amazon.dynamodb.services.local.shared.access.LocalDBClient;
import software.amazon.dynamodb.services.local.shared.access.sqlite.SQLiteDBAccess;

/**
 * DynamoDB Local, in memory, on the loopback interface only and on any free port, which it prints.
 * Its own launcher has no option for the address and listens on every interface. It ends when its
 * standard input ends, and so with the process that started it, however that one ends.
 */
class DynamoDbLocal {
  /**
   * The indexes that its tables of shards and stream records lack. Each write to a table with a
   * stream looks for the first record of its shard: without an index it passes over the records of
   * all tables that there ever were, and a run of many tests spends its time there.
   */
  private static final String INDEXES =
      "CREATE INDEX lapidary_records ON us (ShardID, SequenceNumber);"
          + "CREATE INDEX lapidary_streams ON us (StreamID, ShardID, SequenceNumber);"
          + "CREATE INDEX lapidary_shards ON ss (StreamID, ShardID);"
          + "CREATE INDEX lapidary_tables ON sm (TableName);";

  public static void main(String[] arguments) throws Exception {
    boolean inMemory = true;
    boolean sharedDatabase = true;
    boolean delayTransientStatuses = false;
    var requests = new LocalDynamoDBRequestHandler(0, inMemory, null, sharedDatabase, delayTransientStatuses);
    addIndexes(requests);
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(new LocalDynamoDBServerHandler(requests, "*"));
    server.start();
    System.out.println("listening on http://127.0.0.1:" + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  private static void addIndexes(LocalDynamoDBRequestHandler requests) throws Exception {
    // The database is made for the first request.
    requests.listTables("local", "us-east-1", ListTablesRequest.builder().build());
    var databases = (Map<?, ?>) valueOf(LocalDynamoDBRequestHandler.class, "dbRequestHandlers", requests);
    var access = valueOf(LocalDBClient.class, "dbAccess", databases.values().iterator().next());
    var queue = (SQLiteQueue) valueOf(SQLiteDBAccess.class, "queue", access);
    queue.execute(new SQLiteJob<Void>() {
      @Override
      protected Void job(SQLiteConnection connection) throws SQLiteException {
        connection.exec(INDEXES);
        return null;
      }
    }).get();
  }

  private static Object valueOf(Class<?> type, String name, Object object) throws ReflectiveOperationException {
    var field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(object);
  }
}
