package io.hmfs.core;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes every change of a caller that knows no numbers this numbered one. */
public final class NumberedNamespace {
    private NumberedNamespace() {}

    /** The namespace as such a caller is to see it; what has no form with a change is as it is. */
    public static ServerNamespace of(ServerNamespace namespace, Change change) {
        return (ServerNamespace) Proxy.newProxyInstance(
                NumberedNamespace.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, given) -> {
                    Object[] arguments = given == null ? new Object[0] : given;
                    try {
                        return call(namespace, change, method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Object call(ServerNamespace namespace, Change change, Method method, Object[] arguments)
            throws ReflectiveOperationException {
        List<Class<?>> types = new ArrayList<>(Arrays.asList(method.getParameterTypes()));
        List<Object> values = new ArrayList<>(Arrays.asList(arguments));
        // A change stands before what an operation fills in.
        boolean fills = !types.isEmpty() && types.getLast() == Attributes.class;
        int at = fills ? types.size() - 1 : types.size();
        boolean makes = method.getName().equals("create") || method.getName().equals("mkdir");
        if (makes && !types.contains(long[].class)) {
            types.add(at, long[].class);
            values.add(at++, Acl.NONE);
        }
        types.add(at, Change.class);
        values.add(at, change);
        try {
            Method numbered = ServerNamespace.class.getMethod(method.getName(), types.toArray(Class<?>[]::new));
            return numbered.invoke(namespace, values.toArray());
        } catch (NoSuchMethodException e) {
            return method.invoke(namespace, arguments);
        }
    }
}
