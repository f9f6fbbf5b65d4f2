import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * DynamoDB Local, in memory, on the loopback interface only and on any free port, which it prints.
 * Its own launcher has no option for the address and listens on every interface. It ends when its
 * standard input ends, and so with the process that started it, however that one ends.
 */
class DynamoDbLocal {
  public static void main(String[] arguments) throws Exception {
    boolean inMemory = true;
    boolean sharedDatabase = true;
    boolean delayTransientStatuses = false;
    var requests = new LocalDynamoDBRequestHandler(0, inMemory, null, sharedDatabase, delayTransientStatuses);
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(new LocalDynamoDBServerHandler(requests, "*"));
    server.start();
    System.out.println("listening on http://127.0.0.1:" + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
